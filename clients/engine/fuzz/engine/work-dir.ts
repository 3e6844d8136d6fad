import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder, in memory where the system has such a place: segments are files, millions of them. */
export function createWorkDir(): string {
  for (const parent of ['/dev/shm', tmpdir()]) {
    try {
      return mkdtempSync(join(parent, 'audiosplit-fuzz-'));
    } catch {
      // Not there, or not ours to write to: the next one.
    }
  }
  throw new Error('there is no folder for temporary files');
}
