import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Of what is free at the start: others may write to the disk too, and plans are estimates. */
const SHARE = 0.8;
/** A disk that is full at the start will not be so for ever: jobs are not to fail for it as too large. */
const MIN_LIMIT_BYTES = 1024 ** 3;

/** How much jobs may hold in the scratch folder together, where no setting says. Its leftovers must be gone. */
export async function defaultScratchLimit(scratchDir: string): Promise<number> {
  return Math.max(MIN_LIMIT_BYTES, Math.floor(SHARE * (await freeScratchBytes(scratchDir))));
}

/** What a user without privileges may still write. The folder itself is made by the first job. */
export async function freeScratchBytes(scratchDir: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(scratchDir);
    return bavail * bsize;
  } catch (error) {
    const parent = dirname(scratchDir);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === scratchDir) throw error;
    return freeScratchBytes(parent);
  }
}
