import { pruneAnswers } from '@audiosplit/chassis/idempotency/store';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { forgetPurgedAccounts } from '@audiosplit/chassis/purged-accounts';
import { forgetKnownEvents } from './store/provider-events.ts';

/** Twice as long as the bus keeps what may still arrive. */
const PURGE_REMEMBERED_MS = 15 * 86_400_000;

/** As long as Stripe keeps events, and lets them be sent again: https://docs.stripe.com/api/events */
const EVENTS_REMEMBERED_MS = 31 * 86_400_000;

/** Removes what has no effect any more. */
export async function prune(db: Queryable, now: Date): Promise<void> {
  await forgetPurgedAccounts(db, new Date(now.getTime() - PURGE_REMEMBERED_MS));
  await pruneAnswers(db, now);
  await forgetKnownEvents(db, new Date(now.getTime() - EVENTS_REMEMBERED_MS));
}
