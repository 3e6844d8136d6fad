import { pruneAnswers } from '@audiosplit/chassis/idempotency/store';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { forgetPurgedAccounts } from '@audiosplit/chassis/purged-accounts';
import { forgetKnownEvents } from './store/provider-events.ts';
import { forgetThresholds } from './store/usage-thresholds.ts';

/** Twice as long as the bus keeps messages, so that late events of a purged account are still recognised. */
const PURGE_REMEMBERED_MS = 15 * 86_400_000;

/** Stripe keeps events for 30 days and can send them again: https://docs.stripe.com/api/events */
const EVENTS_REMEMBERED_MS = 31 * 86_400_000;

/** Longer than any period. */
const THRESHOLDS_REMEMBERED_MS = 62 * 86_400_000;

/** Deletes rows that no longer have an effect. */
export async function prune(db: Queryable, now: Date): Promise<void> {
  await forgetPurgedAccounts(db, new Date(now.getTime() - PURGE_REMEMBERED_MS));
  await pruneAnswers(db, now);
  await forgetThresholds(db, new Date(now.getTime() - THRESHOLDS_REMEMBERED_MS));
  await forgetKnownEvents(db, new Date(now.getTime() - EVENTS_REMEMBERED_MS));
}
