/** Folders of failed jobs in buckets of accounts that must be emptied. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { toFolder } from '../connections/bucket-keys.ts';
import { isDryRun } from '../cut-json.ts';
import type { Job } from '../job.ts';

export interface EmptiedFolder {
  readonly jobId: string;
  readonly accountId: string;
  readonly connectionId: string;
  readonly folder: string;
}

/** If a bucket is unavailable for longer, its objects stay. */
const GIVEN_UP_AFTER = "interval '2 days'";

/** Schedules emptying now, and again after `delayMs`, when no worker can still be writing there. */
export async function scheduleEmptying(
  db: Queryable,
  { id, accountId, request }: Job,
  delayMs: number,
): Promise<void> {
  const { destination, cut } = request;
  if (destination === undefined || isDryRun(cut)) return;
  await db.query(
    `insert into emptied_folders (job_id, account_id, connection_id, folder, due_at, last_at)
     values ($1, $2, $3, $4, now(), now() + $5 * interval '1 millisecond') on conflict do nothing`,
    [id, accountId, destination.connectionId, `${toFolder(destination.prefix)}${id}/`, delayMs],
  );
}

/** The oldest first. They are returned again after a minute unless they are removed or postponed. */
export async function takeDueFolders(db: Queryable, limit: number): Promise<EmptiedFolder[]> {
  const { rows } = await db.query<EmptiedFolder>(
    `update emptied_folders set due_at = now() + interval '1 minute'
     where job_id in (select job_id from emptied_folders where due_at <= now() order by due_at limit $1 for update skip locked)
     returning job_id as "jobId", account_id as "accountId", connection_id as "connectionId", folder`,
    [limit],
  );
  return rows;
}

/** The folder is empty: removes its row, or postpones it to the last emptying. */
export async function recordEmptied(db: Queryable, jobId: string): Promise<void> {
  await db.query('delete from emptied_folders where job_id = $1 and last_at <= now()', [jobId]);
  await db.query('update emptied_folders set due_at = last_at where job_id = $1', [jobId]);
}

/** The folder could not be emptied. */
export async function putOffEmptying(db: Queryable, jobId: string): Promise<void> {
  await db.query(`delete from emptied_folders where job_id = $1 and last_at + ${GIVEN_UP_AFTER} <= now()`, [
    jobId,
  ]);
  await db.query("update emptied_folders set due_at = now() + interval '10 minutes' where job_id = $1", [
    jobId,
  ]);
}

export async function forgetFolder(db: Queryable, jobId: string): Promise<void> {
  await db.query('delete from emptied_folders where job_id = $1', [jobId]);
}
