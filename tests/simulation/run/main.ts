/** `npm run verify -- simulate`: many seeds over a few processes, against an embedded Postgres that lives as long as the run. */
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { startOwnPostgres } from '../../harness/installation/own-postgres.ts';
import { PROVEN_FLAWS } from './broken-code.ts';
import { parseSimulate, SIMULATE_HELP, type SimulateArguments } from './command-line.ts';
import type { Answer, Order } from './orders.ts';
import { add, describeFailure, describeFlaw, describeTotals, emptyTotals, type Totals } from './report.ts';

/** Most of what a step allocates is garbage at once. */
const MEMORY_FLAGS = ['--max-semi-space-size=64'];
const PROGRESS_EVERY_MS = 10_000;
/** The run stops at so many. */
const MAX_FAILURES = 10;

try {
  const args = parseSimulate(process.argv.slice(2));
  if (args.help) process.stdout.write(SIMULATE_HELP);
  else process.exitCode = await simulate(args);
} catch (error) {
  process.stderr.write(`${error instanceof StartError ? error.message : messageOf(error)}\n`);
  process.exitCode = 1;
}

async function simulate(args: SimulateArguments): Promise<number> {
  await using running = new AsyncDisposableStack();
  const postgres = running.use(await startOwnPostgres({ durable: false, maxConnections: 200 }));
  const totals = emptyTotals();
  const startedAt = performance.now();
  const progress = setInterval(() => writeProgress(totals, args, startedAt), PROGRESS_EVERY_MS);
  running.defer(async () => clearInterval(progress));
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());
  const flaws = args.provesFlaws ? [...PROVEN_FLAWS] : [];
  let next = args.firstSeed;
  const draw = (): Order | undefined => {
    if (totals.failures.length >= MAX_FAILURES || interruption.signal.aborted) return undefined;
    const flaw = flaws.shift();
    if (flaw !== undefined) return { kind: 'flaw', flaw };
    if (next >= args.firstSeed + args.seeds) return undefined;
    return { kind: 'seed', seed: next++, steps: args.steps, flaw: args.flaw };
  };
  const count = Math.min(args.processes, args.seeds + flaws.length);
  const options = { databaseUrl: postgres.url, scratchDir: postgres.folder, steps: args.steps, totals, draw };
  await Promise.all(Array.from({ length: count }, () => work(options)));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  process.stdout.write(`${describeTotals(totals)}in ${seconds} s\n`);
  const isComplete = totals.seeds === args.seeds && flaws.length === 0;
  return isComplete && totals.failures.length === 0 && totals.flawsMissed.length === 0 ? 0 : 1;
}

interface WorkOptions {
  readonly databaseUrl: string;
  readonly scratchDir: string;
  readonly steps: number;
  readonly totals: Totals;
  readonly draw: () => Order | undefined;
}

/** One process from its first order to its last. */
function work({ databaseUrl, scratchDir, steps, totals, draw }: WorkOptions): Promise<void> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'seed-worker.ts'), {
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl, SCRATCH_DIR: scratchDir },
    execArgv: [...process.execArgv, ...MEMORY_FLAGS],
  });
  child.on('message', (answer: Answer) => {
    if (answer.kind === 'seed') {
      for (const failed of answer.totals.failures) process.stdout.write(describeFailure(failed, steps));
      add(totals, answer.totals);
    }
    if (answer.kind === 'flaw') {
      const { report } = answer;
      process.stdout.write(describeFlaw(report));
      if (report.problem === undefined) totals.flawsFound += 1;
      else totals.flawsMissed.push(report.flaw);
    }
    const order = draw();
    if (order === undefined) child.disconnect();
    else child.send(order);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`a process of the simulation ended with ${signal ?? code}`));
    });
  });
}

function writeProgress({ seeds, failures }: Totals, args: SimulateArguments, startedAt: number): void {
  const seconds = (performance.now() - startedAt) / 1_000;
  process.stderr.write(
    `${seeds} of ${args.seeds} seeds, ${failures.length} failed, ${(seeds / seconds).toFixed(1)} a second\n`,
  );
}
