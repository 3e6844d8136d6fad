import { mkdir, readdir, rmdir, stat } from 'node:fs/promises';
import { messageOf } from '@audiosplit/chassis/errors';
import type { SourceFile } from './upload-source.ts';
import { UsageError } from './usage.ts';

/** The file to split. Throws UsageError where there is nothing to split. */
export async function inspectSourceFile(path: string): Promise<SourceFile> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new UsageError(`there is no file ${path}`);
    throw new UsageError(`cannot read ${path} (${messageOf(error)})`);
  });
  if (!found.isFile()) throw new UsageError(`${path} is not a file`);
  if (found.size === 0) throw new UsageError(`${path} is empty`);
  return { path, sizeBytes: found.size };
}

/** Refuses early what would end in overwritten files. Throws UsageError. */
export async function checkOutFolder(folder: string, force: boolean): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new UsageError(`cannot write into ${folder} (${messageOf(error)}): choose another one with --out`);
  });
  if (entries.length > 0 && !force) {
    throw new UsageError(
      `${folder} is not empty: choose another folder with --out, or add --force to overwrite files of the same name`,
    );
  }
}

/** Made before the work begins, so that nobody waits for a split that cannot be written. Throws UsageError. */
export async function makeOutFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`cannot make ${folder} (${messageOf(error)}): choose another one with --out`);
  }
}

/** After a failure: nobody wants an empty folder. One that holds anything stays. */
export async function removeIfEmpty(folder: string): Promise<void> {
  await rmdir(folder).catch(() => undefined);
}
