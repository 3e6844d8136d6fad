/** An account with millions of jobs and millions of accounts with one each, generated in the database and vacuumed as autovacuum would. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { createTestDatabase, type TestDatabase } from '@audiosplit/chassis/testing/test-database';
import pg from 'pg';
import { JOBS_MIGRATIONS_DIR, JOBS_SCHEMA } from '../src/schema.ts';
import { LIMITS } from './stand-ins.ts';

export const ACCOUNT_ID = 'acc_01jd0000000000000000000000';

const TABLES = ['jobs', 'account_queues', 'account_limits', 'job_counts'];
const BATCH = 500_000;
const LOADERS = 2;
const QUEUED = 800;
const PROCESSING = 40;

export interface ManyJobs {
  readonly database: TestDatabase;
  readonly bytes: number;
}

export interface Size {
  /** Of ACCOUNT_ID. */
  readonly jobs: number;
  /** Besides ACCOUNT_ID. */
  readonly accounts: number;
}

/** For n from 1 to the number of accounts. */
export function otherAccountId(n: number): string {
  return `acc_${String(n).padStart(26, '0')}`;
}

/**
 * The jobs are spread over a year; 3 of 100 have failed. The counters are set; the triggers' counts are not filled in yet for
 * ACCOUNT_ID.
 */
export async function makeManyJobs(
  { jobs, accounts }: Size,
  progress: (line: string) => void,
): Promise<ManyJobs> {
  await using making = new AsyncDisposableStack();
  const database = making.use(
    await createTestDatabase([{ schema: JOBS_SCHEMA, migrationsDir: JOBS_MIGRATIONS_DIR }]),
  );
  const pool = making.adopt(
    new pg.Pool({
      connectionString: database.url,
      max: LOADERS,
      // Without triggers, because that is faster; the speed of a list does not depend on how its jobs were
      // counted.
      options: `-c search_path=${JOBS_SCHEMA} -c session_replication_role=replica -c maintenance_work_mem=512MB`,
    }),
    (opened) => opened.end(),
  );
  const { rows: indexes } = await pool.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where schemaname = $1 and tablename = 'jobs' and indexname <> 'jobs_pkey'`,
    [JOBS_SCHEMA],
  );
  for (const { name } of indexes) await pool.query(`drop index ${pg.escapeIdentifier(name)}`);
  const firsts = Array.from({ length: Math.ceil(jobs / BATCH) }, (_, batch) => batch * BATCH + 1);
  const load = async () => {
    for (let first = firsts.shift(); first !== undefined; first = firsts.shift()) {
      progress(`jobs from ${first.toLocaleString('en')}`);
      await pool.query(INSERT, [first, Math.min(jobs, first + BATCH - 1), jobs, ACCOUNT_ID]);
    }
  };
  await Promise.all(Array.from({ length: LOADERS }, load));
  progress(`${accounts.toLocaleString('en')} accounts`);
  await pool.query(INSERT_ACCOUNTS, [accounts]);
  progress('indexes');
  await Promise.all(indexes.map(({ definition }) => pool.query(definition)));
  await pool.query(
    `insert into account_queues (account_id, queued, processing, completed, failed, jobs_counted)
     select $1, count(*) filter (where status = 'queued'), count(*) filter (where status = 'processing'),
       count(*) filter (where status = 'completed'), count(*) filter (where status = 'failed'), false
     from jobs where account_id = $1`,
    [ACCOUNT_ID],
  );
  progress('vacuum');
  for (const table of TABLES) await pool.query(`vacuum analyze ${table}`);
  const { rows } = await pool.query<{ bytes: string }>("select pg_total_relation_size('jobs') as bytes");
  await pool.end();
  making.move();
  return { database, bytes: Number(rows[0]?.bytes ?? 0) };
}

/** The account's jobs that wait or run. */
export async function removePending(db: Queryable): Promise<void> {
  await db.query("delete from jobs where account_id = $1 and status in ('queued', 'processing')", [
    ACCOUNT_ID,
  ]);
  await db.query('update account_queues set queued = 0, processing = 0 where account_id = $1', [ACCOUNT_ID]);
}

const INSERT = `insert into jobs (id, account_id, status, source_url, split_mode, segment_duration_seconds, output_format,
    metadata, dispatched_at, fence, attempts, progress_percent, source_file_name, source_duration_ms, source_size_bytes,
    segment_count, stored_bytes, error_code, error_message, created_at, completed_at)
  select 'job_' || lpad(to_hex((extract(epoch from created_at) * 1000)::bigint), 10, '0') || substr(md5(n::text), 1, 16), $4,
    status, 'https://media.example.com/episodes/' || n || '.mp3', 'duration', 600, 'mp3',
    ('{"episode": "e' || n || '"}')::json, created_at, 1, 1, case status when 'completed' then 100 else 0 end,
    'episode-' || n || '.mp3', 1800000, 28800000, case status when 'completed' then 3 end,
    case status when 'completed' then 28800000 end,
    case status when 'failed' then 'UNSUPPORTED_MEDIA' end, case status when 'failed' then 'The source has no audio.' end,
    created_at, case status when 'completed' then created_at + (30 + n % 240) * interval '1 second' end
  from generate_series($1::bigint, $2::bigint) n,
    lateral (select date_trunc('hour', now()) - ($3::bigint - n) * (interval '365 days' / $3::bigint),
      case when n > $3::bigint - ${QUEUED} then 'queued' when n > $3::bigint - ${QUEUED + PROCESSING} then 'processing'
        when n % 33 = 0 then 'failed' else 'completed' end
    ) as made (created_at, status)`;

/** Each has completed a job. */
const INSERT_ACCOUNTS = `with made as (
    select n, 'acc_' || lpad(n::text, 26, '0') as account_id, now() - n % 8760 * interval '1 hour' as at
    from generate_series(1, $1::bigint) n
  ), queue as (
    insert into account_queues (account_id, completed) select account_id, 1 from made
  ), limits as (
    insert into account_limits (account_id, revision, concurrent_jobs, max_file_size_bytes, max_output_bytes, overage_allowed)
    select account_id, ${LIMITS.revision}, ${LIMITS.concurrentJobs}, ${LIMITS.maxFileSizeBytes}, ${LIMITS.maxOutputBytes}, ${LIMITS.overageAllowed}
    from made
  ), job as (
    insert into jobs (id, account_id, status, source_url, split_mode, segment_duration_seconds, output_format, dispatched_at,
      fence, attempts, progress_percent, source_file_name, source_duration_ms, source_size_bytes, segment_count, stored_bytes,
      created_at, completed_at)
    select 'job_' || lpad(n::text, 26, '0'), account_id, 'completed', 'https://media.example.com/' || n || '.mp3', 'duration',
      600, 'mp3', at, 1, 1, 100, n || '.mp3', 1800000, 28800000, 3, 28800000, at, at
    from made
  )
  insert into job_counts (account_id, span, start, created, completed, failed, completions)
  select account_id, span, date_trunc(span, at, 'UTC'), 1, 1, 0, 1 from made, unnest(array['day', 'hour']) span`;
