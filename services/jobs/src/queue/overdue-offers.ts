/** Offers that a splitter may search for itself when their events are slow to arrive. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { findStaleOffers } from '../store/lease/leases.ts';
import type { WorkItem } from '../work-item.ts';

/** Several times the time that an event takes from the outbox to a splitter with a free slot. */
const OVERDUE_MS = 2_000;

/** At most `limit`: parts before jobs, the oldest first. */
export async function findOverdueOffers(db: Queryable, limit: number): Promise<WorkItem[]> {
  const offers = await findStaleOffers(db, OVERDUE_MS, limit);
  return offers.slice(0, limit).map(({ jobId, part }) => ({ jobId, part }));
}
