import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

/** Downloads and builds that outlive every run, `$XDG_CACHE_HOME/audiosplit` or `~/.cache/audiosplit`. */
export function cacheDir(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'audiosplit');
}

/** As long as nothing of ours takes to download or to compile. */
const LONGEST_FILL_MS = 3_600_000;
const LOOK_EVERY_MS = 250;

/**
 * Makes sure that the directory `target` exists, filled by `fill`, whole or not at all.
 *
 * `fill` works in a directory beside it that is renamed at the end, so an interrupted run leaves no half-filled
 * target. Of two processes at once the later waits for the earlier, and takes its place if that ends without a target.
 */
export async function ensureDirectory(target: string, fill: (dir: string) => Promise<void>): Promise<void> {
  if (existsSync(target)) return;
  await mkdir(dirname(target), { recursive: true });
  const claim = `${target}.filled-by`;
  while (!(await isClaimed(claim))) {
    await setTimeout(LOOK_EVERY_MS);
    if (existsSync(target)) return;
  }
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    if (existsSync(target)) return;
    await fill(partial);
    await rename(partial, target);
  } catch (error) {
    // Where two have found a claim abandoned at the same time, the slower one's work is thrown away.
    if (!existsSync(target)) throw error;
  } finally {
    await rm(partial, { recursive: true, force: true });
    await rm(claim, { force: true });
  }
}

/** Writes this process's number where there is none of a process that lives; resolves with whether it did. */
async function isClaimed(claim: string): Promise<boolean> {
  try {
    await writeFile(claim, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  }
  const [holder, written] = await Promise.all([readFile(claim, 'utf8'), stat(claim)]).catch(() => []);
  // Between the two it was given back.
  if (holder === undefined || written === undefined) return false;
  // A number may come back after a crash, as that of a process that has nothing to do with it.
  const isAbandoned = !isAlive(Number(holder)) || Date.now() - written.mtimeMs > LONGEST_FILL_MS;
  if (isAbandoned) await rm(claim, { force: true });
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isErrno(error, 'EPERM');
  }
}

function isErrno(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
