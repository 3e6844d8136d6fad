import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';

export interface Backlog {
  readonly queued: number;
  readonly processing: number;
  /** Those of the queued jobs that the caps of their accounts would let run now. */
  readonly runnable: number;
  /** How long the one of them that has waited longest has done so; 0 where there is none. */
  readonly oldestRunnableSeconds: number;
}

/**
 * Of all accounts together. It reads their counters, a small row for each, and of accounts whose cap leaves room two jobs by
 * index: the oldest that is queued, and the last that was completed. Until then the first may have waited for its own
 * account, which is nobody's fault. An account whose limits are not known yet has nothing that could run.
 */
export async function readBacklog(db: Queryable): Promise<Backlog> {
  return onlyRow(
    await db.query<Backlog>(
      `select coalesce(sum(queued), 0)::float8 as queued,
              coalesce(sum(processing), 0)::float8 as processing,
              coalesce(sum(least(queued, greatest(0, concurrent_jobs - processing))), 0)::float8 as runnable,
              coalesce(max(case when queued > 0 and processing < concurrent_jobs then greatest(0, extract(epoch from now() - greatest(
                (select created_at from jobs where account_id = queue.account_id and status = 'queued' order by created_at, id limit 1),
                (select completed_at from jobs where account_id = queue.account_id order by completed_at desc nulls last, id desc limit 1)
              ))) end), 0)::float8 as "oldestRunnableSeconds"
       from account_queues queue left join account_limits using (account_id)
       where queued > 0 or processing > 0`,
    ),
  );
}
