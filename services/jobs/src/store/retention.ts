import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { JobRef } from '../job.ts';

export async function findExpiredSegments(
  db: Queryable,
  retentionMs: number,
  limit: number,
): Promise<JobRef[]> {
  const { rows } = await db.query<JobRef>(
    `select id, account_id as "accountId" from jobs
     where status = 'completed' and segments_expired_at is null and completed_at < now() - $1 * interval '1 millisecond'
     order by completed_at limit $2`,
    [retentionMs, limit],
  );
  return rows;
}

export async function expireSegments(db: Queryable, jobId: string, expiredAt: Date): Promise<void> {
  await db.query('delete from segments where job_id = $1', [jobId]);
  await db.query('update jobs set segments_expired_at = $2 where id = $1', [jobId, expiredAt]);
}

/** A prefix that is doomed already keeps the later time: a worker may still be storing objects below it. */
export async function doomPrefix(db: Queryable, prefix: string, delayMs: number): Promise<void> {
  await db.query(
    `insert into doomed_prefixes (prefix, delete_after) values ($1, now() + $2 * interval '1 millisecond')
     on conflict (prefix) do update set delete_after = greatest(doomed_prefixes.delete_after, excluded.delete_after)`,
    [prefix, delayMs],
  );
}

export async function doomPrefixes(
  db: Queryable,
  prefixes: readonly string[],
  delayMs: number,
): Promise<void> {
  await db.query(
    `insert into doomed_prefixes (prefix, delete_after)
     select prefix, now() + $2 * interval '1 millisecond' from unnest($1::text[]) as doomed (prefix)
     on conflict (prefix) do update set delete_after = greatest(doomed_prefixes.delete_after, excluded.delete_after)`,
    [prefixes, delayMs],
  );
}

export async function findDoomedPrefixes(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ prefix: string }>(
    'select prefix from doomed_prefixes where delete_after <= now() order by delete_after limit $1',
    [limit],
  );
  return rows.map((row) => row.prefix);
}

export async function forgetDoomedPrefix(db: Queryable, prefix: string): Promise<void> {
  await db.query('delete from doomed_prefixes where prefix = $1 and delete_after <= now()', [prefix]);
}
