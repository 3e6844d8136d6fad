/**
 * Runs the seeds and flaws that it receives, one after the other, on its own database. A failing seed is run
 * again at once, because a failure is useful only if it can be reproduced. One in a hundred of the others is
 * run again too.
 */
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { openSimulationDatabase } from '../database/database.ts';
import type { Flaw } from '../faults/flaws.ts';
import { type ProvenFlaw, proveFlaw } from './broken-code.ts';
import { DEFAULT_STEPS } from './command-line.ts';
import { describeFailure, type Totals, totalsOf } from './report.ts';
import { runSeed, type SeedReport } from './run-seed.ts';

export type Order =
  | { readonly kind: 'seed'; readonly seed: number; readonly steps: number; readonly flaw: Flaw | undefined }
  | { readonly kind: 'flaw'; readonly flaw: ProvenFlaw };

/** Sent after each order, and once at the start to request the first. */
export interface Answer {
  readonly totals: Totals;
  /** For the terminal. */
  readonly text: string;
}

const SEEDS_PER_REPETITION = 100;

const scratch = await temporaryFolder(process.env.SCRATCH_DIR);
const database = await openSimulationDatabase();
const send = (answer: Answer) => process.send?.(answer);

process.on('message', async (order: Order) => {
  send(await (order.kind === 'flaw' ? prove(order.flaw) : runOnce(order.seed, order.steps, order.flaw)));
});

async function prove(flaw: ProvenFlaw): Promise<Answer> {
  const { isFound, text } = await proveFlaw(flaw, (seed) => run(seed, DEFAULT_STEPS, flaw));
  return { totals: totalsOf(isFound ? { flawsFound: 1 } : { flawsMissed: 1 }), text };
}

async function runOnce(seed: number, steps: number, flaw: Flaw | undefined): Promise<Answer> {
  const first = await run(seed, steps, flaw);
  const isToRepeat = first.failure !== undefined || seed % SEEDS_PER_REPETITION === 0;
  const report = isToRepeat ? compare(first, await run(seed, steps, flaw)) : first;
  const { jobs, checks, failure } = report;
  const figures = { seeds: 1, steps: report.steps, jobs, checks, failures: failure === undefined ? 0 : 1 };
  return {
    totals: totalsOf({ ...figures, faults: Object.fromEntries(report.faults) }),
    text: describeFailure(report, steps),
  };
}

function run(seed: number, steps: number, flaw: Flaw | undefined): Promise<SeedReport> {
  return runSeed({ seed, steps, database, scratchDir: scratch.path, flaw });
}

/** The first report, or one that states that the seed took another course the second time. */
function compare(first: SeedReport, second: SeedReport): SeedReport {
  if (first.traceHash === second.traceHash) return first;
  const message = `a seed has one course: ${first.traceHash}, then ${second.traceHash}; ${first.failure?.message ?? 'no failure'}`;
  const recentTrace = first.failure?.recentTrace ?? [];
  return { ...first, failure: { invariant: 'a seed has one course', message, recentTrace } };
}

// A terminal's Ctrl-C is meant for the process that sends the seeds, which then lets this one finish.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.once('disconnect', async () => {
  await database[Symbol.asyncDispose]();
  await scratch[Symbol.asyncDispose]();
});
send({ totals: totalsOf(), text: '' });
