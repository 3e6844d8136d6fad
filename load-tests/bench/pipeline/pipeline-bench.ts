/**
 * From a POST to a running job, and how many jobs the whole product finishes in a second, with sources so small that
 * what is measured is the way of a job and not its work.
 *
 *   npm run bench -- pipeline [--bus postgres,kafka] [--jobs 150] [--burst 400] [--profile FOLDER]
 *
 * The product runs as in `npm start`, in one process beside its embedded database, which waits for its disk as in
 * production; the bus is that database, or the Kafka of KAFKA_BROKERS (npm starts one). Latencies are those of jobs
 * that come one after the other; in a burst, eight callers create jobs without a pause. What a job costs is shown
 * for both: processor time, which for the database and the broker takes Linux, and requests sent. A missed goal is marked
 * and ends with 1.
 */
import { Agent, request } from 'node:http';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { formatMs, formatRows, type Row } from '@audiosplit/chassis/testing/bench-table';
import { latencyOf } from '@audiosplit/chassis/testing/latency';
import { startSources } from '../../../tests/harness/servers/sources.ts';
import { silence } from '../../../tests/harness/servers/tones.ts';
import {
  type JobTimes,
  type MeasuredSystem,
  type SystemUsage,
  startMeasuredSystem,
} from './pipeline-system.ts';

const GOAL_MS: Readonly<Record<string, number>> = { postgres: 5, kafka: 20 };
const CALLERS = 8;
const WARM_UP_JOBS = 40;
const LOOK_EVERY_MS = 5;
const JOB_TIMEOUT_MS = 30_000;

interface Created {
  readonly jobId: string;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
}

interface Caller extends Disposable {
  createJob(): Promise<Created>;
}

const nowMs = () => performance.timeOrigin + performance.now();

function openCaller({ baseUrl, apiKey }: MeasuredSystem, sourceUrl: string): Caller {
  const agent = new Agent({ keepAlive: true });
  const body = JSON.stringify({ sourceUrl, splitMode: 'duration', segmentDuration: 1 });
  const post = () =>
    new Promise<{ readonly status: number | undefined; readonly text: string }>((resolve, reject) => {
      const sent = request(
        `${baseUrl}/api/v1/splits`,
        { agent, method: 'POST', headers: { 'x-api-key': apiKey, 'content-type': 'application/json' } },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part) => {
            text += part;
          });
          response.on('end', () => resolve({ status: response.statusCode, text }));
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  return {
    async createJob() {
      for (;;) {
        const sentAtMs = nowMs();
        const { status, text } = await post();
        const answeredAtMs = nowMs();
        if (status === 201) return { jobId: JSON.parse(text).id, sentAtMs, answeredAtMs };
        // The queue is full, or the key's limits have not arrived everywhere yet.
        if (status !== 429) throw new Error(`POST was answered ${status}: ${text}`);
        await sleep(100);
      }
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

async function untilCompleted(
  system: MeasuredSystem,
  jobIds: readonly string[],
): Promise<Map<string, JobTimes>> {
  const deadline = nowMs() + JOB_TIMEOUT_MS + jobIds.length * 100;
  for (;;) {
    const times = await system.readTimes(jobIds);
    if ([...times.values()].some(({ failed }) => failed)) throw new Error('a job has failed');
    const completed = [...times.values()].filter(({ completedAtMs }) => completedAtMs !== undefined);
    if (completed.length === jobIds.length) return times;
    if (nowMs() > deadline) throw new Error(`${jobIds.length - completed.length} jobs do not complete`);
    await sleep(jobIds.length === 1 ? LOOK_EVERY_MS : 50);
  }
}

interface Spent {
  readonly what: string;
  readonly perJob: number;
}

/** Milliseconds of processor, and requests. */
function spentBetween(before: SystemUsage, after: SystemUsage, jobs: number): readonly Spent[] {
  const spent = (what: string, read: (usage: SystemUsage) => number): Spent => ({
    what,
    perJob: (read(after) - read(before)) / jobs,
  });
  return [
    spent("CPU ms of the product's process", ({ cpuMs }) => cpuMs.product),
    spent('CPU ms of the database', ({ cpuMs }) => cpuMs.database),
    spent('CPU ms of the broker', ({ cpuMs }) => cpuMs.broker),
    spent('SQL statements', ({ counts }) => counts.statements),
    spent('fetches from the broker', ({ counts }) => counts.fetches),
    spent('heartbeats', ({ counts }) => counts.heartbeats),
    spent('commits of offsets', ({ counts }) => counts.commits),
  ];
}

async function oneByOne(system: MeasuredSystem, caller: Caller, jobs: number) {
  const before = await system.usage();
  const answer: number[] = [];
  const processing: number[] = [];
  const completed: number[] = [];
  for (let n = 0; n < jobs; n++) {
    const { jobId, sentAtMs, answeredAtMs } = await caller.createJob();
    const times = (await untilCompleted(system, [jobId])).get(jobId);
    answer.push(answeredAtMs - sentAtMs);
    processing.push((times?.processingAtMs ?? Number.NaN) - sentAtMs);
    completed.push((times?.completedAtMs ?? Number.NaN) - sentAtMs);
  }
  return { answer, processing, completed, spent: spentBetween(before, await system.usage(), jobs) };
}

async function burst(system: MeasuredSystem, sourceUrl: string, jobs: number) {
  const startedAtMs = nowMs();
  const before = await system.usage();
  let left = jobs;
  const created: Created[] = [];
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      using caller = openCaller(system, sourceUrl);
      while (left-- > 0) created.push(await caller.createJob());
    }),
  );
  const answeredAtMs = nowMs();
  const times = await untilCompleted(
    system,
    created.map(({ jobId }) => jobId),
  );
  const lastAtMs = Math.max(...[...times.values()].map(({ completedAtMs }) => completedAtMs ?? Number.NaN));
  return {
    createdPerSecond: jobs / ((answeredAtMs - startedAtMs) / 1000),
    completedPerSecond: jobs / ((lastAtMs - startedAtMs) / 1000),
    spent: spentBetween(before, await system.usage(), jobs),
  };
}

async function measure(
  bus: string,
  options: { jobs: number; burst: number; execArgv: readonly string[] },
): Promise<Row[]> {
  const goalMs = GOAL_MS[bus];
  if (goalMs === undefined) throw new Error(`--bus takes ${Object.keys(GOAL_MS).join(', ')}`);
  const { KAFKA_BROKERS } = process.env;
  if (bus === 'kafka' && KAFKA_BROKERS === undefined) throw new Error('KAFKA_BROKERS is not set');
  await using sources = await startSources({ files: { 'silence.wav': silence(2) } });
  await using system = await startMeasuredSystem(bus === 'kafka' ? { KAFKA_BROKERS } : {}, options.execArgv);
  using caller = openCaller(system, sources.url('silence.wav'));
  await oneByOne(system, caller, WARM_UP_JOBS);
  const single = await oneByOne(system, caller, options.jobs);
  const many = await burst(system, sources.url('silence.wav'), options.burst);
  const latency = (name: string, samples: readonly number[], goal?: number): Row => {
    const { p50Ms, p99Ms } = latencyOf(samples);
    return {
      measure: `${bus}: ${name}`,
      cells: [formatMs(p50Ms), formatMs(p99Ms)],
      goal: goal === undefined ? '' : `p50 ≤ ${goal} ms`,
      isMet: goal === undefined ? undefined : p50Ms <= goal,
    };
  };
  const rate = (name: string, value: number): Row => ({
    measure: `${bus}: ${name}`,
    cells: ['', '', '', value.toFixed(1)],
    goal: '',
    isMet: undefined,
  });
  const spending = single.spent.map(
    ({ what, perJob }, index): Row => ({
      measure: `${bus}: ${what} a job`,
      cells: ['', '', perJob.toFixed(1), many.spent[index]?.perJob.toFixed(1) ?? ''],
      goal: '',
      isMet: undefined,
    }),
  );
  return [
    latency('POST to 201', single.answer),
    latency('POST to processing', single.processing, goalMs),
    latency('POST to completed', single.completed),
    rate('jobs created per second', many.createdPerSecond),
    rate('jobs completed per second', many.completedPerSecond),
    ...spending,
    rate('statements prepared so far', (await system.usage()).counts.prepared),
  ];
}

const { values } = parseArgs({
  options: {
    bus: { type: 'string', default: process.env.KAFKA_BROKERS === undefined ? 'postgres' : 'postgres,kafka' },
    jobs: { type: 'string', default: '150' },
    burst: { type: 'string', default: '400' },
    profile: { type: 'string' },
  },
});
const execArgv = values.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${values.profile}`];
const rows: Row[] = [];
for (const bus of values.bus.split(',')) {
  process.stderr.write(`the bus on ${bus}\n`);
  rows.push(...(await measure(bus, { jobs: Number(values.jobs), burst: Number(values.burst), execArgv })));
}
process.stdout.write(`${availableParallelism()} cores, Node ${process.versions.node}\n\n`);
process.stdout.write(`${formatRows(['p50 ms', 'p99 ms', 'one by one', 'burst'], rows)}\n`);
if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1;
