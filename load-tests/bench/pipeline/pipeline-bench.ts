/**
 * From a POST to a running job, and how many jobs the whole product finishes in a second. Sources are tiny, so that the
 * way of a job is measured and not its work.
 *
 *   npm run bench -- pipeline [--bus postgres,kafka] [--jobs 150] [--burst 400] [--profile FOLDER]
 *
 * The product runs as in `npm start`, in one process beside its embedded database, which waits for its disk as in
 * production. The bus is that database, or the Kafka of KAFKA_BROKERS (npm starts one). Latencies are those of jobs one
 * after the other; in a burst, eight callers create jobs without a pause. For both there is the cost of a job: processor
 * time (of the database and the broker on Linux only) and requests sent. A missed goal ends with exit code 1.
 */
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { formatMs, formatRows, type Row } from '@audiosplit/chassis/testing/bench-table';
import { latencyOf } from '@audiosplit/chassis/testing/latency';
import { names, text, whole } from '../../../deploy/provision/options.ts';
import { raw } from '../../../tests/harness/accounts/raw.ts';
import { command } from '../../../tests/harness/command/command.ts';
import { startSources } from '../../../tests/harness/servers/sources.ts';
import { silence } from '../../../tests/harness/servers/tones.ts';
import { untilCompleted } from '../job-times.ts';
import { type MeasuredSystem, type SystemUsage, startMeasuredSystem } from './pipeline-system.ts';

const GOAL_MS: Readonly<Record<string, number>> = { postgres: 5, kafka: 20 };
const CALLERS = 8;
const WARM_UP_JOBS = 40;
const SOURCE = 'silence.wav';

const nowMs = () => performance.timeOrigin + performance.now();

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

/** Milliseconds of processor, and requests. */
const SPENT: Readonly<Record<string, (usage: SystemUsage) => number>> = {
  "CPU ms of the product's process": ({ cpuMs }) => cpuMs.product,
  'CPU ms of the database': ({ cpuMs }) => cpuMs.database,
  'CPU ms of the broker': ({ cpuMs }) => cpuMs.broker,
  'SQL statements': ({ counts }) => counts.statements,
  'fetches from the broker': ({ counts }) => counts.fetches,
  heartbeats: ({ counts }) => counts.heartbeats,
  'commits of offsets': ({ counts }) => counts.commits,
};

/** Of a job, in the order of SPENT. */
function spentBetween(before: SystemUsage, after: SystemUsage, jobs: number): readonly string[] {
  return Object.values(SPENT).map((read) => ((read(after) - read(before)) / jobs).toFixed(1));
}

async function oneByOne(system: MeasuredSystem, sourceUrl: string, jobs: number) {
  const before = await system.usage();
  const answer: number[] = [];
  const processing: number[] = [];
  const completed: number[] = [];
  for (let n = 0; n < jobs; n++) {
    const { jobId, sentAtMs, answeredAtMs } = await createJob(system, sourceUrl);
    const [times] = await untilCompleted(system.database, [jobId], { timeoutMs: 30_000, everyMs: 5 });
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
  const jobIds: string[] = [];
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (left-- > 0) jobIds.push((await createJob(system, sourceUrl)).jobId);
    }),
  );
  const answeredAtMs = nowMs();
  const timeoutMs = 30_000 + jobs * 100;
  const times = await untilCompleted(system.database, jobIds, { timeoutMs, everyMs: 50 });
  const lastAtMs = Math.max(...times.map(({ completedAtMs }) => completedAtMs));
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
  const { KAFKA_BROKERS } = process.env;
  if (bus === 'kafka' && KAFKA_BROKERS === undefined) throw new StartError('KAFKA_BROKERS is not set');
  await using sources = await startSources({ files: { [SOURCE]: silence(2) } });
  await using system = await startMeasuredSystem(bus === 'kafka' ? { KAFKA_BROKERS } : {}, options.execArgv);
  const sourceUrl = sources.url(SOURCE);
  await oneByOne(system, sourceUrl, WARM_UP_JOBS);
  const single = await oneByOne(system, sourceUrl, options.jobs);
  const many = await burst(system, sourceUrl, options.burst);
  const row = (name: string, cells: readonly string[]): Row => ({
    measure: `${bus}: ${name}`,
    cells,
    goal: '',
    isMet: undefined,
  });
  const latency = (name: string, samples: readonly number[], goal?: number): Row => {
    const { p50Ms, p99Ms } = latencyOf(samples);
    const judged = goal === undefined ? {} : { goal: `p50 ≤ ${goal} ms`, isMet: p50Ms <= goal };
    return { ...row(name, [formatMs(p50Ms), formatMs(p99Ms)]), ...judged };
  };
  const rate = (name: string, value: number) => row(name, ['', '', '', value.toFixed(1)]);
  const spending = Object.keys(SPENT).map((what, n) =>
    row(`${what} a job`, ['', '', single.spent[n] ?? '', many.spent[n] ?? '']),
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

await command(
  {
    command: 'npm run bench -- pipeline',
    options: {
      bus: names('BUS', Object.keys(GOAL_MS), 'these buses alone'),
      jobs: whole({ least: 1, most: 100_000 }, 150, 'jobs one after the other'),
      burst: whole({ least: 1, most: 100_000 }, 400, 'jobs of the burst'),
      profile: text('FOLDER', 'writes a CPU profile of the product there'),
    },
  },
  async ({ bus, jobs, burst, profile }) => {
    const execArgv = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
    const rows: Row[] = [];
    for (const each of bus ?? Object.keys(GOAL_MS)) {
      process.stderr.write(`the bus on ${each}\n`);
      rows.push(...(await measure(each, { jobs, burst, execArgv })));
    }
    const table = formatRows(['p50 ms', 'p99 ms', 'one by one', 'burst'], rows);
    return {
      report: `${availableParallelism()} cores, Node ${process.versions.node}\n\n${table}\n`,
      isFine: rows.every(({ isMet }) => isMet !== false),
    };
  },
);
