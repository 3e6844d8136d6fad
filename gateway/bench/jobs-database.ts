/** A database with the jobs of one busy account, in the service's own schema and in plain tables. */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { cpuMsOf } from '@audiosplit/chassis/testing/process-cpu';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import pg from 'pg';

export const STOCK_SCHEMA = 'stock';
const JOBS_OF_BUSY_ACCOUNT = 10_000;

const MIGRATIONS_DIR = fileURLToPath(new URL('../../services/jobs/migrations', import.meta.url));

/** $1: the job's number, $2: its account. */
const INSERT_JOBS = `insert into jobs.jobs (id, account_id, status, source_url, cut, split_mode,
    segment_duration_seconds, output_format, metadata, segment_count, stored_bytes, created_at, completed_at)
  select 'job_' || lpad(n::text, 20, '0'), $2, 'completed', 'https://example.com/recordings/' || n || '.mp3',
    '{"duration":{"segmentDuration":300}}', 'duration',
    300, 'mp3', '{"title":"An episode","number":12}', 12, 1000000, now() - n * interval '1 minute',
    now() - n * interval '50 seconds'
  from generate_series(1, $1::integer) n`;
const INSERT_QUEUE = `insert into jobs.account_queues (account_id, completed, jobs_counted) values ($2, $1, true)`;
/** Like the service's schema, without its triggers. */
const MAKE_STOCK_TABLES = `create schema ${STOCK_SCHEMA};
  create table ${STOCK_SCHEMA}.jobs (like jobs.jobs including all);
  create table ${STOCK_SCHEMA}.segments (like jobs.segments including all);
  create table ${STOCK_SCHEMA}.outbox (like jobs.outbox including all);
  insert into ${STOCK_SCHEMA}.jobs select * from jobs.jobs`;

export interface JobsDatabase extends AsyncDisposable {
  readonly url: string;
  /** CPU time of the database server so far, if it runs on this machine (Linux only). */
  cpuMs(): Promise<number>;
}

/** Needs TEST_DATABASE_URL. */
export async function createJobsDatabase(busyAccountId: string): Promise<JobsDatabase> {
  await using making = new AsyncDisposableStack();
  const { url } = making.use(await createTestDatabase([{ schema: 'jobs', migrationsDir: MIGRATIONS_DIR }]));
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  making.defer(() => admin.end());
  await admin.query(INSERT_JOBS, [JOBS_OF_BUSY_ACCOUNT, busyAccountId]);
  await admin.query(INSERT_QUEUE, [JOBS_OF_BUSY_ACCOUNT, busyAccountId]);
  await admin.query(MAKE_STOCK_TABLES);
  await admin.query(`vacuum analyze jobs.jobs, ${STOCK_SCHEMA}.jobs`);
  const made = making.move();
  return {
    url,
    async cpuMs() {
      const { rows } = await admin.query<{ pid: number }>('select pid from pg_stat_activity');
      const times = await Promise.all(rows.map(({ pid }) => cpuMsOf(pid, 'postgres')));
      return times.reduce((sum, time) => sum + time, 0);
    },
    [Symbol.asyncDispose]: () => made.disposeAsync(),
  };
}

export function newJobId(): string {
  return `job_${randomBytes(13).toString('hex')}`;
}
