import { pruneAnswers } from '@audiosplit/chassis/idempotency/store';
import { pruneConsumedEvents } from '@audiosplit/chassis/outbox/outbox';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { PURGE_REMEMBERED_MS } from './deletion/deletion.ts';
import { forgetPurges } from './store/deletions.ts';

/** Deletes rows that no longer have an effect. */
export async function prune(db: Queryable, now: Date): Promise<void> {
  await forgetPurges(db, new Date(now.getTime() - PURGE_REMEMBERED_MS));
  await pruneAnswers(db, now);
  await pruneConsumedEvents(db);
}
