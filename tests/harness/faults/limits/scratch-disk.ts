/** A small separate file system for a splitter's scratch folder, which can be filled to the last byte. */
import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';

export type ScratchDisk = ReturnType<typeof mountScratchDisk>;

/** Room for a few jobs of a chaos run. */
const SIZE_MIB = 48;
const BLOCK = Buffer.alloc(256 * 1024);

/** Throws StartError if this process may not mount. */
export function mountScratchDisk(mountPoint: string) {
  unmount(mountPoint);
  mkdirSync(mountPoint, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m,mode=711`, 'tmpfs', mountPoint], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    throw new StartError(
      `scratch-full needs the right to mount a tmpfs (root): ${messageOf(error).trim()}. Leave it out with --only`,
    );
  }
  const ballast = join(mountPoint, 'ballast');
  return {
    /** Below the mount point, so that it can be removed and created again. */
    scratchDir: join(mountPoint, 'scratch'),
    /** Disposing the result frees the space again. */
    fill(): Disposable {
      writeUntilFull(ballast);
      return { [Symbol.dispose]: () => rmSync(ballast, { force: true }) };
    },
    [Symbol.dispose]: () => unmount(mountPoint),
  };
}

/** Also unmounts the disk of a killed run. */
function unmount(mountPoint: string): void {
  spawnSync('umount', ['--lazy', mountPoint], { stdio: 'ignore' });
}

function writeUntilFull(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let size = BLOCK.length; size > 0; ) {
      try {
        writeSync(file, BLOCK, 0, size);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}
