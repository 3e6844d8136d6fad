import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { copyFile, open, stat, truncate } from 'node:fs/promises';
import type { LocalFile } from '../../../source/local-file.ts';

/** The audio tracks of a source, in the order in which its container has them. */
export interface AudioTracks {
  /** As the container states it; undefined if it states none. */
  readonly languages: readonly (string | undefined)[];
  /**
   * Writes a file at `path` with the track of that index as the only audio. The others' bytes may stay,
   * hidden.
   */
  isolate(index: number, path: string): Promise<LocalFile>;
}

/** Bytes that replace those at `at` in a copy of a file. */
export interface Patch {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** If the file system can share blocks between files, only the patched parts are copied. */
export async function patchedCopy(
  file: LocalFile,
  path: string,
  patches: readonly Patch[],
): Promise<LocalFile> {
  await copyFile(file.path, path, constants.COPYFILE_FICLONE);
  await checkUnchanged(file);
  await truncate(path, file.sizeBytes);
  await using handle: FileHandle = await open(path, 'r+');
  for (const { at, bytes } of patches) await handle.write(bytes, 0, bytes.length, at);
  return { path, sizeBytes: file.sizeBytes };
}

export async function checkUnchanged({ path, modifiedAtMs }: LocalFile): Promise<void> {
  if (modifiedAtMs === undefined) return;
  if ((await stat(path)).mtime.getTime() !== modifiedAtMs)
    throw new Error('the source was replaced while its tracks were read');
}
