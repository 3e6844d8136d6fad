/**
 * Reads the jobs service's own tables directly, past every proxy: which splitter works on which job, which no
 * API shows.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

export interface RunningJob {
  readonly id: string;
  /** Set for a job on which several splitters work at once. */
  readonly part: number | null;
  /** Increases with every claim. */
  readonly fence: number;
}

export type JobsDatabase = ReturnType<typeof openJobsDatabase>;

const CONNECT_TIMEOUT_MS = 2_000;
/** The database is one of the parts that the run breaks. */
const PATIENCE_MS = 60_000;
const TRY_EVERY_MS = 200;

export function openJobsDatabase(adminUrl: () => string) {
  let client: pg.Client | undefined;
  // One query at a time, so that a broken connection is replaced once.
  let queue: Promise<unknown> = Promise.resolve();
  const attempt = async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) => {
    if (client === undefined) {
      const opened = new pg.Client({
        connectionString: adminUrl(),
        connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
        query_timeout: CONNECT_TIMEOUT_MS,
      });
      opened.on('error', () => undefined);
      await opened.connect();
      client = opened;
    }
    return (await client.query<Row>(text, [...values])).rows;
  };
  const patiently = async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) => {
    const deadlineMs = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await attempt<Row>(text, values);
      } catch (error) {
        await client?.end().catch(() => undefined);
        client = undefined;
        if (performance.now() > deadlineMs) throw error;
        await sleep(TRY_EVERY_MS);
      }
    }
  };
  const query = <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) => {
    const answered = queue.then(() => patiently<Row>(text, values));
    queue = answered.catch(() => undefined);
    return answered;
  };
  return {
    /** Jobs and parts of jobs that are running; only those of one process if its id is given. */
    async running(pid?: number): Promise<readonly RunningJob[]> {
      const ofProcess = pid === undefined ? '%' : `%-${pid}-%`;
      const rows = await query<{ id: string; part: number | null; fence: string }>(
        `select id, null::integer as part, fence from jobs.jobs where status = 'processing' and worker_id like $1
         union all
         select job_id, index, fence from jobs.job_parts where segments is null and worker_id like $1`,
        [ofProcess],
      );
      return rows.map(({ id, part, fence }) => ({ id, part, fence: Number(fence) }));
    },
    /** Counts the jobs that have not ended. */
    async countOpen() {
      const [row] = await query<{ count: string }>(
        `select count(*) from jobs.jobs where status in ('queued', 'processing')`,
      );
      return Number(row?.count);
    },
    /** Whether a splitter has claimed the job again, or the job has ended. */
    async hasMovedOn({ id, part, fence }: RunningJob) {
      const rows =
        part === null
          ? await query(
              `select 1 from jobs.jobs
               where id = $1 and fence <= $2 and status in ('queued', 'processing') and not is_divided`,
              [id, fence],
            )
          : await query(
              `select 1 from jobs.job_parts where job_id = $1 and index = $2 and fence <= $3 and segments is null`,
              [id, part, fence],
            );
      return rows.length === 0;
    },
    /** For a job that was not divided; undefined for a divided one. */
    async attemptsOf(jobId: string) {
      const [row] = await query<{ attempts: number | null }>(
        'select case when not is_divided then attempts end as attempts from jobs.jobs where id = $1',
        [jobId],
      );
      return row?.attempts ?? undefined;
    },
    /** How often billing has counted each job. */
    async billedJobs(): Promise<ReadonlyMap<string, number>> {
      const rows = await query<{ id: string; count: string }>(
        'select job_id as id, count(*) as count from billing.job_usage group by job_id',
      );
      return new Map(rows.map(({ id, count }) => [id, Number(count)]));
    },
    async [Symbol.asyncDispose]() {
      await queue;
      await client?.end().catch(() => undefined);
    },
  };
}
