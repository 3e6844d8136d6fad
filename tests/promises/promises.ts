/**
 * What is promised to callers: every sentence that binds, a line each, which says what a test has to show.
 * An id is the page's letter, the section, its part where it has parts, and a running number. It stays the
 * same once a test names it.
 */
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

/** In the order of the report. The pages' letters are I, D, C and B. */
const PAGES = ['interface', 'decisions', 'cuts', 'costs'];

/** As written in titles, comments and tables of tests. */
export const PROMISE_ID = /\b[BCDI]-\d+(?:\.\d+)+\b/g;

export const SECTIONS: readonly Section[] = PAGES.flatMap((page) =>
  readFileSync(join(import.meta.dirname, 'pages', `${page}.md`), 'utf8')
    .split('\n## ')
    .slice(1)
    .map(readSection),
);

function readSection(section: string): Section {
  const [title = '', , ...lines] = section.trimEnd().split('\n');
  const promises = lines.map((line) => {
    const [, id, says] = /^- (\S+): (.+)$/.exec(line) ?? [];
    if (id === undefined || says === undefined)
      throw new Error(`tests/promises/pages: this is no promise: ${line}`);
    return { id, says };
  });
  return { title, promises };
}
