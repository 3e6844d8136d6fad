/** The product under measurement: its database, its process, and the times at which its jobs change their status. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Env } from '@audiosplit/chassis/process/env';
import { cpuMsOf, findListener } from '@audiosplit/chassis/testing/process-cpu';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../deploy/embedded/postgres/embedded-postgres.ts';
import { sourceFlags } from '../../../deploy/launcher.mjs';
import type { FromChild, Started, ToChild } from './pipeline-child.ts';
import type { RequestCounts } from './request-counts.ts';

export interface MeasuredSystem extends AsyncDisposable {
  readonly baseUrl: string;
  readonly apiKey: string;
  /** When jobs became processing and completed, in milliseconds since 1970. */
  readTimes(jobIds: readonly string[]): Promise<Map<string, JobTimes>>;
  usage(): Promise<SystemUsage>;
}

/** Since the start. */
export interface SystemUsage {
  /** The database's and the broker's processes where they are of this machine (Linux only); 0 otherwise. */
  readonly cpuMs: { readonly product: number; readonly database: number; readonly broker: number };
  readonly counts: RequestCounts;
}

export interface JobTimes {
  readonly processingAtMs: number | undefined;
  readonly completedAtMs: number | undefined;
  readonly failed: boolean;
}

/**
 * Written as the transaction commits, by the clock of the machine that measures. What is left out is the flush of that
 * commit.
 */
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

export async function startMeasuredSystem(
  settings: Env,
  execArgv: readonly string[],
): Promise<MeasuredSystem> {
  await using starting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'audiosplit-pipeline-'));
  starting.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = starting.use(
    await startEmbeddedPostgres({ directory: join(folder, 'postgres'), durable: true, maxConnections: 100 }),
  );
  const child = fork(fileURLToPath(new URL('pipeline-child.ts', import.meta.url)), [], {
    execArgv: [...sourceFlags, ...execArgv],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      LOG_LEVEL: 'error',
      ...settings,
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: folder,
      DATABASE_URL: postgres.url,
      EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    },
  });
  const exited = once(child, 'exit');
  const send = (message: ToChild) => child.send(message);
  const next = async <K extends FromChild['kind']>(kind: K) => {
    const [message] = (await Promise.race([
      once(child, 'message'),
      exited.then(() => Promise.reject(new Error('the product has ended'))),
    ])) as [FromChild];
    if (message.kind !== kind) throw new Error(`received ${message.kind} instead of ${kind}`);
    return message as Extract<FromChild, { readonly kind: K }>;
  };
  starting.defer(async () => {
    if (child.connected) send('stop');
    await exited;
  });
  const { baseUrl, apiKey }: Started = await next('started');
  const pool = starting.adopt(new pg.Pool({ connectionString: postgres.url, max: 1 }), (opened) =>
    opened.end(),
  );
  await pool.query(RECORD_TIMES);
  const [brokerPort] = /\d+$/.exec(settings.KAFKA_BROKERS ?? '') ?? [];
  const broker = brokerPort === undefined ? undefined : await findListener(Number(brokerPort));
  const brokerCpuMs = async () => (broker === undefined ? 0 : cpuMsOf(broker, 'java'));

  const running = starting.move();
  return {
    baseUrl,
    apiKey,
    async readTimes(jobIds) {
      const { rows } = await pool.query<{
        id: string;
        processing: number | null;
        completed: number | null;
        failed: boolean;
      }>(
        `select job_id as id, bool_or(status = 'failed') as failed,
           (extract(epoch from min(at) filter (where status = 'processing')) * 1000)::float8 as processing,
           (extract(epoch from min(at) filter (where status = 'completed')) * 1000)::float8 as completed
         from bench.times where job_id = any($1) group by job_id`,
        [jobIds],
      );
      return new Map(
        rows.map(({ id, processing, completed, failed }) => [
          id,
          { processingAtMs: processing ?? undefined, completedAtMs: completed ?? undefined, failed },
        ]),
      );
    },
    async usage() {
      send('usage');
      const { cpuMs: product, counts } = await next('usage');
      const { rows } = await pool.query<{ pid: number }>('select pid from pg_stat_activity');
      const ofDatabase = await Promise.all(rows.map(({ pid }) => cpuMsOf(pid, 'postgres')));
      const database = ofDatabase.reduce((sum, ms) => sum + ms, 0);
      return { cpuMs: { product, database, broker: await brokerCpuMs() }, counts };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
