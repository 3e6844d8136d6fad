/** The promises of promises.md, by section. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Section {
  readonly title: string;
  readonly promises: readonly Promised[];
}

interface Promised {
  readonly id: string;
  readonly says: string;
}

/** As written in titles, comments and tables of tests. */
export const PROMISE_ID = /\b[ID]-\d+(?:\.\d+)+\b/g;

const text = readFileSync(join(import.meta.dirname, 'promises.md'), 'utf8');
export const SECTIONS: readonly Section[] = text.split('\n## ').slice(1).map(readSection);

function readSection(section: string): Section {
  const [title = '', , ...lines] = section.trimEnd().split('\n');
  const promises = lines.map((line) => {
    const [, id, says] = /^- (\S+): (.+)$/.exec(line) ?? [];
    if (id === undefined || says === undefined) throw new Error(`promises.md: this is no promise: ${line}`);
    return { id, says };
  });
  return { title, promises };
}
