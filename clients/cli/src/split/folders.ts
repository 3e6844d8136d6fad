import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageOf } from '../message-of.ts';
import { UsageError } from '../usage.ts';

/** Refuses early what would end in overwritten files; `staging` may be there. Throws UsageError. */
export async function checkOutFolder(folder: string, force: boolean, staging?: string): Promise<void> {
  const entries = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new UsageError(`cannot write into ${folder} (${messageOf(error)}): choose another one with --out`);
  });
  if (entries.some((name) => name !== staging) && !force) {
    throw new UsageError(
      `${folder} is not empty: choose another folder with --out, or add --force to overwrite files of the same name`,
    );
  }
}

/**
 * Created before the work begins, so that no split is made that cannot be written. Disposing removes the
 * created folders that are still empty. Throws UsageError.
 */
export async function makeOutFolder(folder: string): Promise<AsyncDisposable> {
  let first: string | undefined;
  try {
    first = await mkdir(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`cannot make ${folder} (${messageOf(error)}): choose another one with --out`);
  }
  return {
    async [Symbol.asyncDispose]() {
      if (first !== undefined) await removeEmpty(folder, first).catch(() => undefined);
    },
  };
}

/** From the folder up to the outermost that was made for it. Throws at the first that holds anything. */
async function removeEmpty(folder: string, outermost: string): Promise<void> {
  for (let each = folder; ; each = dirname(each)) {
    await rmdir(each);
    if (each === outermost) return;
  }
}

/** Throws for what would name another folder: the id is the server's. */
export function stagingName(jobId: string): string {
  if (!/^\w{1,100}$/.test(jobId)) throw new Error(`the server calls a job ${JSON.stringify(jobId)}`);
  return `.part-${jobId}`;
}

/**
 * A folder within `folder` for incomplete files; `settle` moves them out, in the given order. With
 * `isResumable`, partial files are kept for a later call.
 */
export async function openStaging(
  folder: string,
  jobId: string,
  isResumable: boolean,
): Promise<AsyncDisposable & { readonly path: string; settle(files: readonly string[]): Promise<void> }> {
  const path = join(folder, stagingName(jobId));
  await mkdir(path, { recursive: true });
  let isKept = isResumable;
  return {
    path,
    async settle(files) {
      isKept = false;
      for (const file of files) await rename(join(path, file), join(folder, file));
    },
    async [Symbol.asyncDispose]() {
      if (isKept) await rmdir(path).catch(() => undefined);
      else await rm(path, { recursive: true, force: true });
    },
  };
}
