/**
 * Backups that follow one another in one folder, for whatever makes one at regular times: each has its time as its name,
 * in UTC, so that their order is that of the names.
 *
 * The oldest ones go only after a new one is whole, which takes room for one more than are kept. What a backup that failed
 * has left counts for none, and goes with the whole ones that are older than all that are kept.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isBackup } from './manifest.ts';

/** Milliseconds keep two backups of one second apart. Backups of older releases are named without them. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d{3})?Z$/;

/** Such as `2026-11-22T06-00-00-000Z`. */
export function nameOfBackup(at: Date): string {
  return at.toISOString().replaceAll(/[:.]/g, '-');
}

/** `keep`: at least 1. Resolves with the names of those that are gone. What has other names is left alone. */
export async function dropOldBackups(series: string, keep: number): Promise<readonly string[]> {
  const names = (await readdir(series)).filter((name) => NAME.test(name)).sort();
  const oldestKept = names.filter((name) => isBackup(join(series, name))).at(-keep);
  if (oldestKept === undefined) return [];
  const dropped = names.filter((name) => name < oldestKept);
  for (const name of dropped) await rm(join(series, name), { recursive: true });
  return dropped;
}
