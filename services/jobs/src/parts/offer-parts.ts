/**
 * Offers parts to splitters, as `dispatch.ts` does jobs: a few of each account's at once, and the next as one is claimed.
 * They queue behind whatever else is on offer, and a splitter takes one at a time from there, so a long job of one account
 * holds up another's by no more than those few parts.
 */
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { partRequested } from '../outgoing-events.ts';
import { markOldestPartsDispatched, type PartRef } from '../store/parts.ts';
import { MAX_PART_OFFERS_PER_ACCOUNT } from './part.ts';

/** Inside a transaction that holds the lock of the account's queue row. */
export async function offerWaitingParts(db: Queryable, accountId: string): Promise<void> {
  await offerParts(db, await markOldestPartsDispatched(db, accountId, MAX_PART_OFFERS_PER_ACCOUNT));
}

/** Puts the parts on the splitters' queue (again). */
export async function offerParts(db: Queryable, parts: readonly PartRef[]): Promise<void> {
  await appendToOutbox(
    db,
    parts.map(({ accountId, jobId, index }) => partRequested(accountId, jobId, index)),
  );
}
