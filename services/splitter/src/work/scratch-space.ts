import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The share of the free space at the start: others may write to the disk too, and plans are estimates. */
const SHARE = 0.8;
/** A disk that is full at the start will have space later: jobs must not fail as too large because of it. */
const MIN_LIMIT_BYTES = 1024 ** 3;

/** The default limit of the scratch folder. Call it after its leftovers are removed. */
export async function defaultScratchLimit(scratchDir: string): Promise<number> {
  return Math.max(MIN_LIMIT_BYTES, Math.floor(SHARE * (await freeScratchBytes(scratchDir))));
}

/** What an unprivileged user may still write. The first job creates the folder itself. */
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
