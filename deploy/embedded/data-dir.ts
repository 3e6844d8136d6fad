/** The folder of the embedded run: created, checked, and used by one instance at a time. */
import { access, constants, mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { tryLock } from '../provision/lock.ts';

/** Throws StartError if the folder is not writable, or another instance uses it. */
export async function holdDataDir(dataDir: string): Promise<AsyncDisposable> {
  await makeWritable(dataDir);
  // Inside the folder, so that containers that share it exclude one another.
  const hold = await tryLock(join(await realpath(dataDir), 'instance.sock'));
  if (hold !== undefined) return hold;
  throw new StartError(
    `another instance runs on DATA_DIR ${dataDir}: stop it, or set DATA_DIR to another folder`,
  );
}

/** Throws StartError. */
export async function makeWritable(dataDir: string): Promise<void> {
  const probe = join(dataDir, '.writable');
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o755 });
    await access(dataDir, constants.W_OK | constants.X_OK);
    await writeFile(probe, '');
    await rm(probe);
  } catch (error) {
    throw new StartError(
      `DATA_DIR ${dataDir} cannot be written to (${messageOf(error)}): set DATA_DIR to a folder of yours`,
    );
  }
}
