/**
 * Regular backups in one folder. Each is named after its time in UTC, so they sort by their names.
 *
 * The oldest are deleted only after a new one is complete, so the folder needs room for one more than are kept. What a
 * failed backup has left does not count, and is deleted once it is older than all that are kept.
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

/** Resolves with the names of those that it has deleted. Other names are left alone. `keep` is at least 1. */
export async function dropOldBackups(series: string, keep: number): Promise<readonly string[]> {
  const names = (await readdir(series)).filter((name) => NAME.test(name)).sort();
  const oldestKept = names.filter((name) => isBackup(join(series, name))).at(-keep);
  if (oldestKept === undefined) return [];
  const dropped = names.filter((name) => name < oldestKept);
  for (const name of dropped) await rm(join(series, name), { recursive: true });
  return dropped;
}
