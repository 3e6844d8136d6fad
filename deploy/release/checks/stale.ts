/** Finds compiled files whose source was removed; a compiler does not delete them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, type Packed } from '../packed.ts';

/** Written by a bundler, and emptied before each bundling. */
const BUNDLE = 'dist/bundle/';
const COMPILED = /^dist\/(.+?)(?:\.d)?\.[jt]s$/;

/** `source`: the folder from which the package was made. */
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
