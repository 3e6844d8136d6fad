/**
 * Measures the time from a POST to a running job, the cost of a job apart from its audio, and how many jobs
 * the whole product finishes per second. Sources are tiny, so that the overhead of a job is measured and not
 * its conversion.
 *
 *   npm run bench -- pipeline [--bus postgres,kafka] [--jobs 150] [--burst 400] [--idle 10] [--rounds 1] [--beside COMMIT]
 *
 * The product runs as in `npm start`, in one process with its embedded database, which syncs to disk as in
 * production. The bus is that database, or the Kafka of KAFKA_BROKERS (npm starts one). Latencies are
 * measured with one job after the other; in a burst, eight callers create jobs without a pause. For both the
 * cost per job is reported: processor time (the database's and the broker's on Linux only) and messages sent.
 * Polls and other periodic work are included, and are also reported for an idle product.
 *
 * With --beside, another commit takes turns with this checkout, and the last column is the median of the
 * rounds' ratios, this one to that. Take an even number of rounds: they alternate in which one runs first.
 * Without it, a missed goal ends with exit code 1.
 */
import { availableParallelism } from 'node:os';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { formatRows, type Row } from '@audiosplit/chassis/testing/bench-table';
import { median } from '@audiosplit/chassis/testing/latency';
import { repositoryRoot } from '../../../deploy/launcher.mjs';
import { names, text, whole } from '../../../deploy/provision/options.ts';
import { command } from '../../../tests/harness/command/command.ts';
import { checkOut } from './other-checkout.ts';
import { type Figures, PROCESSING_P50, type RunOptions, runPipeline } from './pipeline-run.ts';

const GOAL_MS: Readonly<Record<string, number>> = { postgres: 5, kafka: 12 };

interface Measured {
  readonly bus: string;
  readonly figures: readonly Figures[];
  /** The other commit's figures, round by round. */
  readonly beside: readonly Figures[];
}

async function measure(
  bus: string,
  {
    rounds,
    other,
    ...options
  }: Omit<RunOptions, 'root' | 'settings'> & {
    readonly rounds: number;
    readonly other: string | undefined;
  },
): Promise<Measured> {
  const { KAFKA_BROKERS } = process.env;
  if (bus === 'kafka' && KAFKA_BROKERS === undefined) throw new StartError('KAFKA_BROKERS is not set');
  const settings = bus === 'kafka' ? { KAFKA_BROKERS } : {};
  const figures: Figures[] = [];
  const beside: Figures[] = [];
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`the bus on ${bus}, round ${round} of ${rounds}\n`);
    const here = async () =>
      void figures.push(await runPipeline({ ...options, settings, root: repositoryRoot }));
    const there = async () => {
      if (other !== undefined) beside.push(await runPipeline({ ...options, settings, root: other }));
    };
    // A machine may be slower in the second run of a round.
    for (const run of round % 2 === 0 ? [here, there] : [there, here]) await run();
  }
  return { bus, figures, beside };
}

function rowsOf({ bus, figures, beside }: Measured): Row[] {
  const ofRounds = (rounds: readonly Figures[], name: string) =>
    rounds.map((round) => round.get(name) ?? Number.NaN);
  return [...(figures[0]?.keys() ?? [])].map((name) => {
    const here = ofRounds(figures, name);
    const there = ofRounds(beside, name);
    const goalMs = name === PROCESSING_P50 && beside.length === 0 ? GOAL_MS[bus] : undefined;
    return {
      measure: `${bus}: ${name}`,
      cells: [
        format(median(here)),
        format(median(there)),
        format(median(here.map((value, round) => value / (there[round] ?? Number.NaN)))),
      ],
      goal: goalMs === undefined ? '' : `≤ ${goalMs}`,
      isMet: goalMs === undefined ? undefined : median(here) <= goalMs,
    };
  });
}

function format(value: number): string {
  return Number.isNaN(value) ? '' : value.toFixed(value < 10 ? 2 : 1);
}

await command(
  {
    command: 'npm run bench -- pipeline',
    options: {
      bus: names('BUS', Object.keys(GOAL_MS), 'these buses alone'),
      jobs: whole({ least: 1, most: 100_000 }, 150, 'jobs one after the other'),
      burst: whole({ least: 1, most: 100_000 }, 400, 'jobs of the burst'),
      idle: whole({ least: 0, most: 3_600 }, 10, 'seconds with nothing to do'),
      rounds: whole({ least: 1, most: 100 }, 1, 'runs of each'),
      beside: text('COMMIT', 'takes turns with this checkout'),
      profile: text('FOLDER', 'writes CPU profiles of the product there'),
    },
  },
  async ({ bus, jobs, burst, idle, rounds, beside, profile }) => {
    await using stack = new AsyncDisposableStack();
    const other = beside === undefined ? undefined : stack.use(await checkOut(beside)).root;
    const execArgv = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
    const rows: Row[] = [];
    for (const each of bus ?? Object.keys(GOAL_MS)) {
      const options = { jobs, burst, idleSeconds: idle, rounds, execArgv, other };
      rows.push(...rowsOf(await measure(each, options)));
    }
    const titles = beside === undefined ? ['this'] : ['this', beside, 'ratio'];
    const used = rows.filter(({ cells }) => cells.some((cell) => cell !== '' && Number(cell) !== 0));
    return {
      report: `${availableParallelism()} cores, Node ${process.versions.node}\n\n${formatRows(titles, used)}\n`,
      isFine: rows.every(({ isMet }) => isMet !== false),
    };
  },
);
