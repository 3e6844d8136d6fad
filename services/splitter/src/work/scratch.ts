import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** A private folder for one attempt. Disposing it deletes the folder with its content. */
export async function openScratch(
  parentDir: string,
  jobId: string,
): Promise<AsyncDisposable & { readonly path: string }> {
  await mkdir(parentDir, { recursive: true, mode: 0o700 });
  const path = await mkdtemp(join(parentDir, `${jobId}-`));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}
