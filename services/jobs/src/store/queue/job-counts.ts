/** Numbers of an account's jobs by day and hour. Triggers of the jobs table keep them up to date. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';

/** Enough for an account with millions of jobs. */
const COUNT_TIMEOUT_MS = 600_000;

/** Sorted by id, after `afterId`. */
export async function findAccountsNotCounted(
  db: Queryable,
  afterId: string,
  limit: number,
): Promise<string[]> {
  const { rows } = await db.query<{ account_id: string }>(
    `select account_id from account_queues where not jobs_counted and account_id > $1
     order by account_id limit $2`,
    [afterId, limit],
  );
  return rows.map((row) => row.account_id);
}

/** Held until the connection is closed. False while another connection holds it. */
export async function tryLockCounting(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ locked: boolean }>(
    "select pg_try_advisory_lock(hashtext('count-jobs'), hashtext(current_schema())) as locked",
  );
  return rows[0]?.locked ?? false;
}

export async function forgetCounts(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from job_counts where account_id = $1', [accountId]);
}

/** Counts the jobs that the transaction sees, as a JSON array for addCounts. */
export async function countJobs(db: Queryable, accountId: string): Promise<string> {
  await db.query(`set local statement_timeout = ${COUNT_TIMEOUT_MS}`);
  const counting = {
    query_timeout: COUNT_TIMEOUT_MS,
    text: `select coalesce(json_agg(counted), '[]')::text as counts
      from (
        select hour, sum(created) as created, sum(completed) as completed, sum(failed) as failed,
               sum(completions) as completions
        from (
          select date_trunc('hour', created_at, 'UTC') as hour, count(*) as created,
                 count(*) filter (where status = 'completed') as completed,
                 count(*) filter (where status = 'failed') as failed, 0 as completions
          from jobs where account_id = $1 group by 1
          union all
          select date_trunc('hour', completed_at, 'UTC'), 0, 0, 0, count(*)
          from jobs where account_id = $1 and completed_at is not null group by 1
        ) hours
        group by hour
      ) counted`,
    values: [accountId],
  };
  const { rows } = await db.query<{ counts: string }>(counting);
  return rows[0]?.counts ?? '[]';
}

/**
 * Adds to the triggers' counts and marks the account as counted. Does nothing for an account that was purged
 * meanwhile.
 */
export async function addCounts(db: Queryable, accountId: string, counts: string): Promise<void> {
  await db.query(
    `insert into job_counts as kept (account_id, span, start, created, completed, failed, completions)
     select $1, span, date_trunc(span, hour, 'UTC'), sum(created), sum(completed), sum(failed), sum(completions)
     from json_to_recordset($2) as counted
         (hour timestamptz, created int, completed int, failed int, completions int),
       unnest(array['day', 'hour']) span
     where exists (select from account_queues where account_id = $1)
     group by 2, 3 order by 2, 3
     on conflict (account_id, span, start) do update
     set created = kept.created + excluded.created, completed = kept.completed + excluded.completed,
         failed = kept.failed + excluded.failed, completions = kept.completions + excluded.completions`,
    [accountId, counts],
  );
  await db.query('update account_queues set jobs_counted = true where account_id = $1', [accountId]);
}
