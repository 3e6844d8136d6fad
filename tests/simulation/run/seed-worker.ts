/**
 * Runs the seeds and the flaws that it is sent, one after the other, on a database of its own. A seed that fails is run
 * again at once, as its failure is of use only if it comes again. So is one in a hundred of the others.
 */
import { temporaryFolder } from '../../harness/temporary-folder.ts';
import { openSimulationDatabase } from '../database/database.ts';
import { proveFlaw } from './broken-code.ts';
import { DEFAULT_STEPS } from './command-line.ts';
import type { Answer, Order, SeedOrder } from './orders.ts';
import { totalsOf } from './report.ts';
import { runSeed, type SeedReport } from './run-seed.ts';

const SEEDS_PER_REPETITION = 100;

const scratch = await temporaryFolder(process.env.SCRATCH_DIR);
const database = await openSimulationDatabase();
const send = (answer: Answer) => process.send?.(answer);

process.on('message', async (order: Order) => {
  if (order.kind === 'flaw') {
    const { flaw } = order;
    const report = await proveFlaw(flaw, (seed) => run({ seed, steps: DEFAULT_STEPS, flaw }));
    send({ kind: 'flaw', report });
    return;
  }
  const report = await run(order);
  const isToRepeat = report.failure !== undefined || order.seed % SEEDS_PER_REPETITION === 0;
  send({ kind: 'seed', totals: totalsOf(isToRepeat ? compare(report, await run(order)) : report) });
});

function run({ seed, steps, flaw }: Omit<SeedOrder, 'kind'>): Promise<SeedReport> {
  return runSeed({ seed, steps, database, scratchDir: scratch.path, flaw });
}

/** The first report, or one that says that the seed took another course the second time. */
function compare(first: SeedReport, second: SeedReport): SeedReport {
  if (first.traceHash === second.traceHash) return first;
  const message = `a seed has one course: ${first.traceHash}, then ${second.traceHash}; ${first.failure?.message ?? 'no failure'}`;
  const recentTrace = first.failure?.recentTrace ?? [];
  return { ...first, failure: { invariant: 'a seed has one course', message, recentTrace } };
}

// A terminal's Ctrl-C is for the process that sends the seeds, which then lets this one finish.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.once('disconnect', async () => {
  await database[Symbol.asyncDispose]();
  await scratch[Symbol.asyncDispose]();
});
send({ kind: 'ready' });
