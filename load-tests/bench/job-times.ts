/** Records when jobs change their status, by the database's clock. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';

export interface JobTimes {
  readonly processingAtMs: number;
  readonly completedAtMs: number;
}

const RECORD_TIMES = `create schema bench;
  create table bench.times (job_id text not null, status text not null, at timestamptz not null);
  create index on bench.times (job_id);
  create function bench.record() returns trigger language plpgsql security definer as $$
  begin
    insert into bench.times values (new.id, new.status, clock_timestamp());
    return null;
  end $$;
  grant usage on schema bench to public;
  create constraint trigger record_times after update of status on jobs.jobs deferrable initially deferred
    for each row when (old.status <> new.status) execute function bench.record();`;

/** Times are written as the transaction commits; they do not include the flush of that commit. */
export async function recordJobTimes(database: pg.Pool): Promise<void> {
  await database.query(RECORD_TIMES);
}

/** Resolves once all jobs are completed, with their times in order. */
export async function untilCompleted(
  database: pg.Pool,
  jobIds: readonly string[],
  { timeoutMs, everyMs }: { readonly timeoutMs: number; readonly everyMs: number },
): Promise<readonly JobTimes[]> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const times = await readTimes(database, jobIds);
    if (times.size === jobIds.length) return jobIds.flatMap((id) => times.get(id) ?? []);
    if (performance.now() > deadlineMs)
      throw new Error(`${jobIds.length - times.size} jobs do not complete within ${timeoutMs} ms`);
    await sleep(everyMs);
  }
}

/** The times of completed jobs. */
async function readTimes(database: pg.Pool, jobIds: readonly string[]) {
  const { rows } = await database.query<JobTimes & { readonly id: string; readonly failed: boolean }>(
    `select job_id as id, bool_or(status = 'failed') as failed,
       (extract(epoch from min(at) filter (where status = 'processing')) * 1000)::float8 as "processingAtMs",
       (extract(epoch from min(at) filter (where status = 'completed')) * 1000)::float8 as "completedAtMs"
     from bench.times where job_id = any($1) group by job_id`,
    [jobIds],
  );
  if (rows.some(({ failed }) => failed)) throw new Error('a job has failed');
  return new Map(rows.filter(({ completedAtMs }) => completedAtMs !== null).map((row) => [row.id, row]));
}
