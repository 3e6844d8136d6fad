import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { copyFile, open, stat, truncate } from 'node:fs/promises';
import type { LocalFile } from '../../../source/local-file.ts';

/** The audio tracks of a source, in the order in which its container has them. */
export interface AudioTracks {
  /** As the container has them; undefined where it has none. */
  readonly languages: readonly (string | undefined)[];
  /** Makes a file at `path` in which the track of that index is the only audio; the others' bytes may stay, hidden. */
  isolate(index: number, path: string): Promise<LocalFile>;
}

/** Bytes in place of those that a copy of a file has at `at`. */
export interface Patch {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Where the file system can share the blocks of both files, nothing is copied but what is patched. */
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
