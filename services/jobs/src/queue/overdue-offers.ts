import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { findStaleDispatches } from '../store/leases.ts';
import { findStalePartDispatches } from '../store/parts.ts';

export interface Offer {
  readonly jobId: string;
  /** Undefined: the whole job. */
  readonly part: number | undefined;
}

/** Several times what an event takes from the outbox to a splitter with a free slot. */
const OVERDUE_MS = 2_000;

/** At most `limit`: parts before jobs, of each the oldest. */
export async function findOverdueOffers(db: Queryable, limit: number): Promise<Offer[]> {
  const parts = await findStalePartDispatches(db, OVERDUE_MS, limit);
  const jobs = await findStaleDispatches(db, OVERDUE_MS, limit);
  return [
    ...parts.map(({ jobId, index }) => ({ jobId, part: index })),
    ...jobs.map(({ id }) => ({ jobId: id, part: undefined })),
  ].slice(0, limit);
}
