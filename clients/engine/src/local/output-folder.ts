/**
 * The folder for segments: each appears under its name when it is complete, and replaces an existing file
 * only if that is allowed.
 */
import { access, link, mkdir, mkdtemp, rename, rm, rmdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { FileExistsError } from './file-exists-error.ts';

/** Disposing removes the working folder, and the folder itself if it was created for this and is empty. */
export interface OutputFolder extends AsyncDisposable {
  /** A hidden folder inside it: files can be moved out without being copied. */
  readonly workDir: string;
  /** Returns the path. Throws FileExistsError. */
  settle(file: string, name: string): Promise<string>;
}

export async function openOutputFolder(to: string, overwrite: boolean): Promise<OutputFolder> {
  const folder = resolve(to);
  const outermost = await mkdir(folder, { recursive: true });
  const workDir = await mkdtemp(join(folder, '.audiosplit-'));
  const own = new Set<string>();
  return {
    workDir,
    async settle(file, name) {
      const path = join(folder, name);
      if (overwrite || own.has(path)) await rename(file, path);
      else await moveToFree(file, path);
      own.add(path);
      return path;
    },
    async [Symbol.asyncDispose]() {
      await rm(workDir, { recursive: true, force: true });
      // It fails if the folder is not empty.
      if (outermost !== undefined) await rmdir(folder).catch(() => undefined);
    },
  };
}

/** A link fails if the name is taken, even by a file created just now. */
async function moveToFree(file: string, path: string): Promise<void> {
  try {
    await link(file, path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') throw new FileExistsError(path);
    // For file systems without links: between the two calls another program might take the name.
    const isTaken = await access(path).then(
      () => true,
      () => false,
    );
    if (isTaken) throw new FileExistsError(path);
    await rename(file, path);
    return;
  }
  await rm(file);
}
