import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hasCode } from '@audiosplit/chassis/errors';
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.ts';

/** Downloads and builds that outlive every run, `$XDG_CACHE_HOME/audiosplit` or `~/.cache/audiosplit`. */
export function cacheDir(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'audiosplit');
}

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

/** Writes who this process is where no process that lives has; resolves with whether it did. */
async function isClaimed(claim: string): Promise<boolean> {
  try {
    await writeFile(claim, JSON.stringify(identifyProcess(process.pid)), { flag: 'wx' });
    return true;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  const holder = await readHolder(claim);
  if (holder === null || !isAlive(holder)) await rm(claim, { force: true });
  return false;
}

/** Null where it is not whole, or given back meanwhile. */
async function readHolder(claim: string): Promise<ProcessIdentity | null> {
  try {
    return JSON.parse(await readFile(claim, 'utf8'));
  } catch {
    return null;
  }
}
