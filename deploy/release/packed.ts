import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';

export type Kind = 'npm' | 'wheel' | 'sdist' | 'chart';

/** A file that is published as it is. */
export interface Packed {
  readonly kind: Kind;
  readonly name: string;
  readonly file: string;
  /** Its unpacked contents. */
  readonly folder: string;
  /** The folder from which an npm package was made. */
  readonly source?: string;
}

/** The paths of all files in it, sorted. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}
