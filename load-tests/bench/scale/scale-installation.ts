/** The jobs service on a Postgres of its own, and splitters as processes that are each held to one core. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { systemClock } from '@audiosplit/chassis/clock';
import {
  BUS_MIGRATIONS_DIR,
  BUS_SCHEMA,
  openPostgresEventBus,
} from '@audiosplit/chassis/event-bus/postgres/postgres';
import { migrate } from '@audiosplit/chassis/postgres/migrate';
import { silentLogger } from '@audiosplit/chassis/process/log';
import { postgresPorts } from '@audiosplit/chassis/process/postgres-ports';
import type { ServiceContext } from '@audiosplit/chassis/process/service';
import { createCaller, remoteAddress } from '@audiosplit/chassis/rpc/client';
import { serveInProcess, startRpcServer } from '@audiosplit/chassis/rpc/server';
import { readJobsConfig } from '@audiosplit/jobs/config';
import { JOBS_MIGRATIONS_DIR, JOBS_SCHEMA } from '@audiosplit/jobs/schema';
import { startJobs } from '@audiosplit/jobs/service';
import { BillingService } from '@audiosplit/proto/billing/v1/billing';
import { fromCutFields } from '@audiosplit/proto/cut';
import { JobStatus, JobsService, type OutputFormat } from '@audiosplit/proto/jobs/v1/jobs';
import { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import pg from 'pg';
import { startEmbeddedPostgres } from '../../../deploy/embedded/postgres/embedded-postgres.ts';
import { repositoryRoot, sourceFlags } from '../../../deploy/launcher.mjs';
import { listen } from '../../../tests/harness/servers/listen.ts';

const POLL_MS = 200;
const SECRET = randomBytes(32).toString('hex');
const LIMITS = {
  planId: 'plan_pro',
  requestsPerMinute: 300,
  concurrentJobs: 20,
  maxFileSizeBytes: 100_000_000_000n,
  monthlyMinutes: 5_000,
  overageAllowed: true,
  revision: 1n,
};

export interface ScaleRun {
  /** From the claim of the job to its completion, by the database's clock. */
  readonly seconds: number;
  /** Until it was divided; undefined where it stayed whole. */
  readonly preparingSeconds: number | undefined;
  readonly parts: readonly { readonly tookSeconds: number; readonly segments: number }[];
}

export interface ScaleJob {
  readonly sourceUrl: string;
  readonly segmentSeconds: number;
  readonly outputFormat: OutputFormat;
  readonly workers: number;
  readonly inParts: boolean;
}

export interface ScaleInstallation extends AsyncDisposable {
  run(job: ScaleJob): Promise<ScaleRun>;
}

export async function startScaleInstallation(
  folder: string,
  ffmpegPath: string | undefined,
): Promise<ScaleInstallation> {
  await using starting = new AsyncDisposableStack();
  const log = silentLogger();
  const { url } = starting.use(
    await startEmbeddedPostgres({ directory: join(folder, 'postgres'), durable: true, maxConnections: 60 }),
  );
  await migrate({ url, schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR });
  await migrate({ url, schema: JOBS_SCHEMA, migrationsDir: JOBS_MIGRATIONS_DIR });
  const bus = starting.use(await openPostgresEventBus({ url, topics: TOPIC_DECLARATIONS, log }));
  const context: ServiceContext = {
    ...postgresPorts({ databaseUrl: url, log }),
    internalSecret: SECRET,
    bus,
    log,
    clock: systemClock,
    openStore: () => Promise.reject(new Error('the jobs service is to store nothing here')),
    addressOf: (name) =>
      serveInProcess({
        ...context,
        routes(router) {
          if (name === 'billing') router.service(BillingService, { getLimits: () => ({ limits: LIMITS }) });
          else router.service(SplitterService, { inspectSource: () => ({}) });
        },
      }),
    fatal(error) {
      throw error;
    },
  };
  const service = starting.use(await startJobs(readJobsConfig({}), context));
  const server = starting.use(
    await startRpcServer({ ...context, host: '127.0.0.1', port: 0, routes: service.routes }),
  );
  const jobsUrl = `http://127.0.0.1:${server.port}`;
  const caller = createCaller({ ...context, service: 'gateway' });
  const jobs = caller.client(JobsService, remoteAddress(jobsUrl));
  // Made anew each time, as its token lives for two minutes only.
  const asCaller = () => caller.actingFor({ kind: 'account', accountId: 'acc_scale', scopes: [] });
  const sql = starting.adopt(
    new pg.Pool({ connectionString: url, max: 1, options: `-c search_path=${JOBS_SCHEMA}` }),
    (pool) => pool.end(),
  );
  const { wallClockLimitMs } = readJobsConfig({});

  const env = (core: number, inParts: boolean) => ({
    PATH: process.env.PATH,
    DATABASE_URL: url,
    INTERNAL_SECRET: SECRET,
    DOWNLOAD_SECRET: SECRET,
    MIGRATE: 'false',
    RPC_HOST: '127.0.0.1',
    RPC_PORT: '0',
    JOBS_RPC_URL: jobsUrl,
    STORAGE_URL: `file://${join(folder, 'objects')}`,
    SCRATCH_DIR: join(folder, `scratch-${core}`),
    SPLITTER_CONCURRENCY: '1',
    SPLITTER_PARTS: String(inParts),
    DRAIN_GRACE_SECONDS: '0',
    EGRESS_ALLOW_CIDRS: '127.0.0.0/8',
    ...(ffmpegPath === undefined ? {} : { FFMPEG_PATH: ffmpegPath }),
  });

  const running = starting.move();
  return {
    async run({ sourceUrl, segmentSeconds, outputFormat, workers, inParts }) {
      await using splitters = new AsyncDisposableStack();
      const started = await Promise.all(
        Array.from({ length: workers }, (_, core) => startPinned(core, env(core, inParts))),
      );
      for (const splitter of started) splitters.use(splitter);
      const request = {
        sourceUrl,
        cut: fromCutFields({ splitMode: 'duration', segmentDuration: segmentSeconds }),
        outputFormat,
      };
      const { job } = await jobs.createJob({ request }, asCaller());
      const jobId = job?.id ?? '';
      for (;;) {
        const { job: now } = await jobs.getJob({ jobId, omitSegments: true }, asCaller());
        if (now?.status === JobStatus.COMPLETED) break;
        if (now?.status === JobStatus.FAILED) throw new Error(`the job failed: ${now.error?.message}`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      const { rows } = await sql.query<{ seconds: number }>(
        `select extract(epoch from completed_at - (deadline_at - $2 * interval '1 millisecond'))::float8 as seconds
         from jobs where id = $1`,
        [jobId, wallClockLimitMs],
      );
      const lines = started.flatMap((splitter) => splitter.lines());
      const divided = lines.find(({ msg }) => msg === 'job divided');
      return {
        seconds: rows[0]?.seconds ?? Number.NaN,
        preparingSeconds: divided?.ms === undefined ? undefined : divided.ms / 1000,
        parts: lines
          .filter(({ msg }) => msg === 'part completed')
          .map(({ ms = 0, segments = 0 }) => ({ tookSeconds: ms / 1000, segments })),
      };
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

interface LogLine {
  readonly msg?: string;
  readonly ms?: number;
  readonly segments?: number;
}

/** Resolves once it serves. Whatever it starts stays on the same core. */
async function startPinned(
  core: number,
  env: NodeJS.ProcessEnv,
): Promise<AsyncDisposable & { lines(): readonly LogLine[] }> {
  const entry = join(repositoryRoot, 'services/splitter/src/main.ts');
  const args = ['--cpu-list', String(core), process.execPath, ...sourceFlags, entry];
  const child = spawn('taskset', args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const lines: LogLine[] = [];
  const serving = Promise.withResolvers<void>();
  createInterface({ input: child.stderr }).on('line', (text) => {
    const line = parseLine(text);
    lines.push(line);
    if (line.msg === 'serving') serving.resolve();
  });
  child.once('error', serving.reject);
  child.once('exit', (code) => serving.reject(new Error(`a splitter left with exit code ${code}`)));
  await serving.promise;
  return { lines: () => lines, [Symbol.asyncDispose]: () => stop(child) };
}

/** What a splitter logs is a line of JSON each; Node itself says things too. */
function parseLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { msg: text };
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  await exited;
}

/** Serves one file. */
export async function serveSource(path: string): Promise<AsyncDisposable & { readonly url: string }> {
  const { size } = await stat(path);
  const server = await listen((_request, response) => {
    response.setHeader('content-length', size);
    createReadStream(path).pipe(response);
  });
  return { url: `${server.url}/talk.mp3`, [Symbol.asyncDispose]: server[Symbol.asyncDispose] };
}
