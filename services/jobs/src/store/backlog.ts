import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';

export interface Backlog {
  readonly queued: number;
  readonly processing: number;
  /** Those of the queued jobs that the caps of their accounts would let run now. */
  readonly runnable: number;
}

/**
 * Of all accounts together. It reads their counters, a small row for each, and no job. An account whose limits are not
 * known yet has nothing that could run.
 */
export async function readBacklog(db: Queryable): Promise<Backlog> {
  return onlyRow(
    await db.query<Backlog>(
      `select coalesce(sum(queued), 0)::float8 as queued,
              coalesce(sum(processing), 0)::float8 as processing,
              coalesce(sum(least(queued, greatest(0, concurrent_jobs - processing))), 0)::float8 as runnable
       from account_queues left join account_limits using (account_id)
       where queued > 0 or processing > 0`,
    ),
  );
}
