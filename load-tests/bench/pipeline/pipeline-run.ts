/** One run of the product on one bus: single jobs, a burst of jobs, and then an idle time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { latencyOf } from '@audiosplit/chassis/testing/latency';
import { raw } from '../../../tests/harness/accounts/raw.ts';
import { startSources } from '../../../tests/harness/servers/sources.ts';
import { silence } from '../../../tests/harness/servers/tones.ts';
import { untilCompleted } from '../job-times.ts';
import {
  type MeasuredSystem,
  type SystemOptions,
  type SystemUsage,
  startMeasuredSystem,
} from './pipeline-system.ts';

/** Each figure, by name. */
export type Figures = ReadonlyMap<string, number>;

export interface RunOptions extends SystemOptions {
  readonly jobs: number;
  readonly burst: number;
  readonly idleSeconds: number;
}

const CALLERS = 8;
const WARM_UP_JOBS = 40;
const SOURCE = 'silence.wav';
export const PROCESSING_P50 = 'POST to processing, p50 (ms)';

const nowMs = () => performance.timeOrigin + performance.now();

const SPENT: Readonly<Record<string, (usage: SystemUsage) => number>> = {
  "CPU of the product's process (ms)": ({ cpuMs }) => cpuMs.product,
  'CPU of the database (ms)': ({ cpuMs }) => cpuMs.database,
  'CPU of the broker (ms)': ({ cpuMs }) => cpuMs.broker,
  'CPU of all (ms)': ({ cpuMs }) => cpuMs.product + cpuMs.database + cpuMs.broker,
  'round trips to the database': ({ counts }) => counts.roundTrips,
  "fsyncs of the database's log": ({ walFsyncs }) => walFsyncs,
  "kB of the database's log": ({ walBytes }) => walBytes / 1_000,
  'fsyncs of files': ({ counts }) => counts.fsyncs,
  'new connections': ({ counts }) => counts.connections,
  'calls between services': ({ rpcs }) => rpcs,
  'deliveries of messages': ({ deliveries }) => deliveries,
  'requests to the broker': ({ counts }) => counts.busRequests,
  '- fetches': ({ counts }) => counts.fetches,
  '- heartbeats': ({ counts }) => counts.heartbeats,
  '- commits of offsets': ({ counts }) => counts.commits,
};

export async function runPipeline(options: RunOptions): Promise<Figures> {
  await using sources = await startSources({ files: { [SOURCE]: silence(2) } });
  await using system = await startMeasuredSystem(options);
  const sourceUrl = sources.url(SOURCE);
  await oneByOne(system, sourceUrl, WARM_UP_JOBS);
  return new Map([
    ...(await oneByOne(system, sourceUrl, options.jobs)),
    ...(await burst(system, sourceUrl, options.burst)),
    ...(await idle(system, options.idleSeconds)),
  ]);
}

async function createJob({ baseUrl, apiKey }: MeasuredSystem, sourceUrl: string) {
  const request = { sourceUrl, splitMode: 'duration', segmentDuration: 1 };
  for (;;) {
    const sentAtMs = nowMs();
    const { status, body } = await raw(baseUrl, 'POST /api/v1/splits', { apiKey, body: request });
    if (status === 201) return { jobId: body.id as string, sentAtMs, answeredAtMs: nowMs() };
    if (status !== 429) throw new Error(`POST was answered ${status}: ${JSON.stringify(body)}`);
    // The queue is full.
    await sleep(100);
  }
}

async function oneByOne(system: MeasuredSystem, sourceUrl: string, jobs: number): Promise<Figures> {
  const before = await system.usage();
  const times: Record<string, number[]> = { '201': [], processing: [], completed: [] };
  for (let n = 0; n < jobs; n++) {
    const { jobId, sentAtMs, answeredAtMs } = await createJob(system, sourceUrl);
    const [job] = await untilCompleted(system.database, [jobId], { timeoutMs: 30_000, everyMs: 5 });
    times['201']?.push(answeredAtMs - sentAtMs);
    times.processing?.push((job?.processingAtMs ?? Number.NaN) - sentAtMs);
    times.completed?.push((job?.completedAtMs ?? Number.NaN) - sentAtMs);
  }
  const latencies = Object.entries(times).flatMap(([to, samples]): [string, number][] => {
    const { p50Ms, p99Ms } = latencyOf(samples);
    return [
      [`POST to ${to}, p50 (ms)`, p50Ms],
      [`POST to ${to}, p99 (ms)`, p99Ms],
    ];
  });
  return new Map([...latencies, ...spentBetween(before, await system.usage(), jobs, 'a job, one by one')]);
}

async function burst(system: MeasuredSystem, sourceUrl: string, jobs: number): Promise<Figures> {
  const startedAtMs = nowMs();
  const before = await system.usage();
  let left = jobs;
  const jobIds: string[] = [];
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (left-- > 0) jobIds.push((await createJob(system, sourceUrl)).jobId);
    }),
  );
  const answeredAtMs = nowMs();
  const timeoutMs = 30_000 + jobs * 200;
  const times = await untilCompleted(system.database, jobIds, { timeoutMs, everyMs: 50 });
  const lastAtMs = Math.max(...times.map(({ completedAtMs }) => completedAtMs));
  return new Map([
    ['jobs created a second', jobs / ((answeredAtMs - startedAtMs) / 1000)],
    ['jobs completed a second', jobs / ((lastAtMs - startedAtMs) / 1000)],
    ...spentBetween(before, await system.usage(), jobs, 'a job, burst'),
  ]);
}

async function idle(system: MeasuredSystem, seconds: number): Promise<Figures> {
  if (seconds === 0) return new Map();
  const before = await system.usage();
  await sleep(seconds * 1000);
  return spentBetween(before, await system.usage(), seconds, 'a second, idle');
}

/** Per unit, such as a job. */
function spentBetween(before: SystemUsage, after: SystemUsage, units: number, unit: string): Figures {
  return new Map(
    Object.entries(SPENT).map(([name, read]) => [`${name} ${unit}`, (read(after) - read(before)) / units]),
  );
}
