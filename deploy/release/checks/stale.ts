/** Compiled files whose source is gone: a compiler leaves them where they are. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, type Packed } from '../packed.ts';

/** What a bundler has written, and is removed before it writes. */
const BUNDLE = 'dist/bundle/';
const COMPILED = /^dist\/(.+?)(?:\.d)?\.[jt]s$/;

/** `source`: the folder that the package was made of. */
export async function findStaleFiles({ folder }: Packed, source: string): Promise<readonly string[]> {
  const isStale = (path: string) => {
    const [, name] = COMPILED.exec(path) ?? [];
    if (name === undefined || path.startsWith(BUNDLE)) return false;
    return !['src', '.'].some((each) => existsSync(join(source, each, `${name}.ts`)));
  };
  return (await filesIn(folder))
    .filter(isStale)
    .map((path) => `has ${path}, whose source is gone: remove dist and tsconfig.tsbuildinfo of ${source}`);
}
