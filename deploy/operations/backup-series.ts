/**
 * Regular backups in one folder. Each is named after its time in UTC, so they sort by name.
 *
 * The oldest are deleted only after a new one is complete, so the folder needs room for one more than are
 * kept. Remains of a failed backup do not count, and are deleted once they are older than all kept ones.
 */
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isBackup } from './manifest.ts';

/** Milliseconds distinguish two backups of one second. Names of older releases have none. */
const NAME = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d(-\d{3})?Z$/;

/** Such as `2026-11-22T06-00-00-000Z`. */
export function nameOfBackup(at: Date): string {
  return at.toISOString().replaceAll(/[:.]/g, '-');
}

/** Resolves with the names of the deleted ones. Other names are ignored. `keep` is at least 1. */
export async function dropOldBackups(series: string, keep: number): Promise<readonly string[]> {
  const names = (await readdir(series)).filter((name) => NAME.test(name)).sort();
  const oldestKept = names.filter((name) => isBackup(join(series, name))).at(-keep);
  if (oldestKept === undefined) return [];
  const dropped = names.filter((name) => name < oldestKept);
  for (const name of dropped) await rm(join(series, name), { recursive: true });
  return dropped;
}
