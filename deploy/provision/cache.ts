import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { awaitLock } from './lock.ts';

/** Downloads and builds that outlive every run, `$XDG_CACHE_HOME/audiosplit` or `~/.cache/audiosplit`. */
export function cacheDir(environment: NodeJS.ProcessEnv = process.env): string {
  return join(environment.XDG_CACHE_HOME || join(homedir(), '.cache'), 'audiosplit');
}

/**
 * Ensures that the directory `target` exists, filled completely by `fill` or not at all.
 *
 * `fill` works in a directory beside it that is renamed at the end, so an interrupted run leaves no partial
 * target. Of two concurrent processes the later one waits, and fills the target if the earlier one has not.
 * Rejects with the signal's reason if aborted while waiting.
 */
export async function ensureDirectory(
  target: string,
  fill: (dir: string) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  if (existsSync(target)) return;
  await mkdir(dirname(target), { recursive: true });
  await using _lock = await awaitLock(`${target}.lock`, signal);
  if (existsSync(target)) return;
  const partial = await mkdtemp(`${target}.partial-`);
  try {
    await fill(partial);
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}
