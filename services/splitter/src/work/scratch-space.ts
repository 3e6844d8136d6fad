/**
 * What running jobs may still write to the scratch folder: what its file system has left, or what is left below a limit
 * that the platform enforces.
 *
 * A folder may be bounded without being a file system of its own: the kubelet adds up the files of an emptyDir with a size limit, and
 * evicts the pod that is above it, whatever the node's disk has left. So they are added up here the same way: by the
 * blocks that they take. Jobs come and go meanwhile: what has vanished takes nothing. One file is asked about at a time, so that a
 * folder of many leaves the jobs the threads that read and write.
 */
import type { Dirent } from 'node:fs';
import { lstat, readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** `stat` counts in these, whatever the file system's own are. */
const BLOCK_BYTES = 512;

/** Bytes, 0 where the limit is passed already. */
export async function freeScratchBytes(scratchDir: string, limitBytes: number | undefined): Promise<number> {
  const freeBytes = await freeBytesAt(scratchDir);
  if (limitBytes === undefined) return freeBytes;
  return Math.min(freeBytes, Math.max(0, limitBytes - (await usedBytesBelow(scratchDir))));
}

/** What a user without privileges may still write. The folder itself is made by the first job. */
async function freeBytesAt(directory: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(directory);
    if (!isGone(error) || parent === directory) throw error;
    return freeBytesAt(parent);
  }
}

async function usedBytesBelow(directory: string): Promise<number> {
  let usedBytes = 0;
  for (const entry of await entriesOf(directory)) {
    const path = join(directory, entry.name);
    usedBytes += await bytesOf(path);
    if (entry.isDirectory()) usedBytes += await usedBytesBelow(path);
  }
  return usedBytes;
}

async function entriesOf(directory: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

async function bytesOf(path: string): Promise<number> {
  try {
    return (await lstat(path)).blocks * BLOCK_BYTES;
  } catch (error) {
    if (isGone(error)) return 0;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
