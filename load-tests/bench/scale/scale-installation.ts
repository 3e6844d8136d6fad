/** Runs one job through the whole product, on splitters that are each pinned to one core. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { UNLIMITED } from '../../../tests/harness/accounts/limits.ts';
import type { FaultHooks } from '../../../tests/harness/installation/processes.ts';
import { startInstallation } from '../../../tests/harness/installation/start-installation.ts';
import { recordJobTimes, untilCompleted } from '../job-times.ts';

export interface ScaleRun {
  /** From the claim of the job to its completion, by the database's clock. */
  readonly seconds: number;
  /** Until it was divided; undefined if it was not divided. */
  readonly preparingSeconds: number | undefined;
  readonly parts: readonly { readonly tookSeconds: number; readonly segments: number }[];
}

const JOB_TIMEOUT_MS = 3_600_000;
const LIMITS = { ...UNLIMITED, maxFileSizeBytes: 100_000_000_000n };
const SPLITTER = /^splitter-(\d+)$/;

/** All processes that a splitter starts stay on its core. */
const pinSplitter: NonNullable<FaultHooks['launch']> = (spec) => {
  const [, core] = SPLITTER.exec(spec.name) ?? [];
  return core === undefined
    ? spec
    : { ...spec, command: 'taskset', args: ['--cpu-list', core, spec.command, ...spec.args] };
};

/** Converts to AAC. */
export async function runScaleJob(job: {
  readonly sourceUrl: string;
  readonly segmentSeconds: number;
  readonly workers: number;
  readonly inParts: boolean;
}): Promise<ScaleRun> {
  await using open = new AsyncDisposableStack();
  const installation = open.use(
    await startInstallation({
      kind: 'processes',
      name: 'scale',
      replicas: { splitter: job.workers },
      env: {
        FFMPEG_PATH: process.env.FFMPEG_PATH,
        SPLITTER_CONCURRENCY: '1',
        SPLITTER_PARTS: String(job.inParts),
      },
      hooks: { launch: pinSplitter },
    }),
  );
  const connectionString = installation.endpoints.databaseUrl;
  const database = open.adopt(new pg.Pool({ connectionString, max: 1 }), (pool) => pool.end());
  await recordJobTimes(database);
  const { client } = await installation.openAccount({ limits: LIMITS });
  const { id } = await client.createSplit({
    sourceUrl: job.sourceUrl,
    splitMode: 'duration',
    segmentDuration: job.segmentSeconds,
    outputFormat: 'aac',
  });
  const [times] = await untilCompleted(database, [id], { timeoutMs: JOB_TIMEOUT_MS, everyMs: 200 });
  const lines = installation.processes
    .names()
    .filter((name) => SPLITTER.test(name))
    .flatMap((name) => readFileSync(installation.processes.log(name).path, 'utf8').split('\n'))
    .map(parseLine);
  const divided = lines.find(({ msg }) => msg === 'job divided');
  return {
    seconds: ((times?.completedAtMs ?? Number.NaN) - (times?.processingAtMs ?? Number.NaN)) / 1000,
    preparingSeconds: divided?.ms === undefined ? undefined : divided.ms / 1000,
    parts: lines
      .filter(({ msg }) => msg === 'part completed')
      .map(({ ms = 0, segments = 0 }) => ({ tookSeconds: ms / 1000, segments })),
  };
}

interface LogLine {
  readonly msg?: string;
  readonly ms?: number;
  readonly segments?: number;
}

/** A splitter logs JSON, one object per line; Node itself writes other lines. */
function parseLine(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return {};
  }
}
