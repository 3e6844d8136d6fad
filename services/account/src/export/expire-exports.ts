import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { expireExport, listOverdueExports } from '../store/exports.ts';
import { objectPrefixOf } from './export.ts';

const BATCH = 100;

/**
 * Deletes the files of expired exports. The file goes before the row, so that a crash in between repeats the
 * deletion.
 */
export async function expireExports(
  pool: Pool,
  openStore: () => Promise<ObjectStore>,
  now: Date,
  stopping?: AbortSignal,
): Promise<void> {
  for (;;) {
    const overdue = await listOverdueExports(pool, now, BATCH);
    for (const each of overdue) {
      if (stopping?.aborted) return;
      await (await openStore()).deletePrefix(objectPrefixOf(each));
      await expireExport(pool, each.id);
    }
    if (overdue.length < BATCH) return;
  }
}
