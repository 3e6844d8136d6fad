/** Attempts in sliding windows, by subject. The name of the table is older than this use of it. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export interface Attempt {
  readonly subject: string;
  readonly at: Date;
  /** Attempts at this time or earlier no longer count. */
  readonly windowStart: Date;
  readonly limit: number;
}

/** Adds an attempt, or returns false if the window is full. A single statement, so that parallel calls count exactly. */
export async function countAttempt(
  db: Queryable,
  { subject, at, windowStart, limit }: Attempt,
): Promise<boolean> {
  const { rowCount } = await db.query(
    `insert into sign_in_failures as seen (subject, failed_at, last_failed_at)
     values ($1, array[$2::timestamptz], $2)
     on conflict (subject) do update
     set failed_at = array(select at from unnest(seen.failed_at) as at where at > $3 order by at) || $2::timestamptz,
         last_failed_at = $2
     where (select count(*) from unnest(seen.failed_at) as at where at > $3) < $4`,
    [subject, at, windowStart, limit],
  );
  return rowCount === 1;
}

export async function oldestAttempt(
  db: Queryable,
  subject: string,
  windowStart: Date,
): Promise<Date | undefined> {
  const { rows } = await db.query<{ oldest: Date | null }>(
    `select min(at) as oldest from sign_in_failures, unnest(failed_at) as at where subject = $1 and at > $2`,
    [subject, windowStart],
  );
  return rows[0]?.oldest ?? undefined;
}

/** Removes one attempt with this time. */
export async function undoAttempt(db: Queryable, subject: string, at: Date): Promise<void> {
  await db.query(
    `update sign_in_failures
     set failed_at = failed_at[:array_position(failed_at, $2::timestamptz) - 1]
                  || failed_at[array_position(failed_at, $2::timestamptz) + 1:]
     where subject = $1 and $2::timestamptz = any (failed_at)`,
    [subject, at],
  );
}

/** @param windowStart Of the longest window. */
export async function pruneAttempts(db: Queryable, windowStart: Date): Promise<void> {
  await db.query('delete from sign_in_failures where last_failed_at <= $1', [windowStart]);
}
