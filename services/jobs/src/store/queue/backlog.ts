import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';

export interface Backlog {
  readonly queued: number;
  readonly processing: number;
  /** Queued jobs that the caps of their accounts allow to run now. */
  readonly runnable: number;
  /** Waiting time of the oldest of these; 0 if there is none. */
  readonly oldestRunnableSeconds: number;
}

/**
 * Of all accounts together. It reads the counters of each account and, where the cap leaves room, two jobs by index: the
 * oldest queued and the last completed. Until that completion the queued job may have waited for its own account's cap,
 * which does not count as waiting. An account with unknown limits has nothing runnable.
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
