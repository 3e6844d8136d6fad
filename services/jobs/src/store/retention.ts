import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { DRY_RUN_RETENTION_MS, type JobRef } from '../job.ts';

const HAS_SEGMENTS = "status = 'completed' and segments_expired_at is null";

export async function findExpiredSegments(
  db: Queryable,
  retentionMs: number,
  limit: number,
): Promise<JobRef[]> {
  const { rows } = await db.query<JobRef>(
    `(select id, account_id as "accountId" from jobs
      where ${HAS_SEGMENTS} and completed_at < now() - $1 * interval '1 millisecond'
      order by completed_at limit $2)
     union
     (select id, account_id from jobs
      where ${HAS_SEGMENTS} and cut @> '{"dryRun": true}' and completed_at < now() - $3 * interval '1 millisecond'
      order by completed_at limit $2)
     limit $2`,
    [retentionMs, limit, Math.min(retentionMs, DRY_RUN_RETENTION_MS)],
  );
  return rows;
}

export async function expireSegments(db: Queryable, jobId: string, expiredAt: Date): Promise<void> {
  await db.query('delete from segments where job_id = $1', [jobId]);
  await db.query('update jobs set segments_expired_at = $2 where id = $1', [jobId, expiredAt]);
}

/**
 * If the prefix is scheduled already, the later time is kept: a worker may still be storing objects below it.
 */
export async function scheduleDeletion(
  db: Queryable,
  prefixes: readonly string[],
  delayMs: number,
): Promise<void> {
  if (prefixes.length === 0) return;
  await db.query(
    `insert into doomed_prefixes (prefix, delete_after)
     select prefix, now() + $2 * interval '1 millisecond' from unnest($1::text[]) as scheduled (prefix)
     on conflict (prefix) do update set delete_after = greatest(doomed_prefixes.delete_after, excluded.delete_after)`,
    [prefixes, delayMs],
  );
}

/** Due prefixes, the oldest first. */
export async function findDueDeletions(db: Queryable, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ prefix: string }>(
    'select prefix from doomed_prefixes where delete_after <= now() order by delete_after limit $1',
    [limit],
  );
  return rows.map((row) => row.prefix);
}

/** The objects are deleted; a deletion that was scheduled for later meanwhile stays. */
export async function forgetDeletion(db: Queryable, prefix: string): Promise<void> {
  await db.query('delete from doomed_prefixes where prefix = $1 and delete_after <= now()', [prefix]);
}
