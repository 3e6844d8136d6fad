/**
 * `npm run verify -- simulate`: runs many seeds in a few processes, against an embedded Postgres that lives
 * as long as the run.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { command } from '../../harness/command/command.ts';
import { startOwnPostgres } from '../../harness/installation/own-postgres.ts';
import { PROVEN_FLAWS } from './broken-code.ts';
import { SIMULATE, type SimulateArguments, simulateArguments } from './command-line.ts';
import { add, describeTotals, type Totals, totalsOf } from './report.ts';
import type { Answer, Order } from './seed-worker.ts';

/** Most of a step's allocations become garbage at once. */
const MEMORY_FLAGS = ['--max-semi-space-size=64'];
const PROGRESS_EVERY_MS = 10_000;
/** The run stops after this many. */
const MAX_FAILURES = 10;
/**
 * Then another process continues. A simulated process that is killed never removes its listeners, and Node keeps a
 * combined AbortSignal as long as it has one: some 6 MB a seed.
 */
const ORDERS_OF_PROCESS = 200;

await command(SIMULATE, (values, signal) => simulate(simulateArguments(values), signal));

async function simulate(args: SimulateArguments, signal: AbortSignal) {
  await using running = new AsyncDisposableStack();
  const postgres = running.use(await startOwnPostgres({ durable: false, maxConnections: 200 }));
  const totals = totalsOf();
  const startedAt = performance.now();
  const progress = setInterval(() => writeProgress(totals, args, startedAt), PROGRESS_EVERY_MS);
  running.defer(async () => clearInterval(progress));
  const flaws = args.provesFlaws ? [...PROVEN_FLAWS] : [];
  let next = args.firstSeed;
  const draw = (): Order | undefined => {
    if (totals.failures >= MAX_FAILURES || signal.aborted) return undefined;
    const flaw = flaws.shift();
    if (flaw !== undefined) return { kind: 'flaw', flaw };
    if (next >= args.firstSeed + args.seeds) return undefined;
    return { kind: 'seed', seed: next++, steps: args.steps, flaw: args.flaw };
  };
  const record = (answer: Answer) => {
    process.stdout.write(answer.text);
    add(totals, answer.totals);
  };
  const env = { ...process.env, TEST_DATABASE_URL: postgres.url, SCRATCH_DIR: postgres.folder };
  const count = Math.min(args.processes, args.seeds + flaws.length);
  await Promise.all(Array.from({ length: count }, () => work(env, record, draw)));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  const isComplete = totals.seeds === args.seeds && flaws.length === 0;
  return {
    report: `${describeTotals(totals)}in ${seconds} s\n`,
    isFine: isComplete && totals.failures + totals.flawsMissed === 0,
  };
}

/** One process after the other, until there are no more orders. */
async function work(
  env: NodeJS.ProcessEnv,
  record: (answer: Answer) => void,
  draw: () => Order | undefined,
): Promise<void> {
  const execArgv = [...process.execArgv, ...MEMORY_FLAGS];
  for (let isOver = false; !isOver; ) {
    const child = fork(join(import.meta.dirname, 'seed-worker.ts'), { env, execArgv });
    let orders = 0;
    child.on('message', (answer: Answer) => {
      record(answer);
      if (orders === ORDERS_OF_PROCESS) return child.disconnect();
      const order = draw();
      orders += 1;
      isOver = order === undefined;
      if (order === undefined) child.disconnect();
      else child.send(order);
    });
    const [code, signal] = await once(child, 'exit');
    if (code !== 0) throw new Error(`a process of the simulation ended with ${signal ?? code}`);
  }
}

function writeProgress({ seeds, failures }: Totals, args: SimulateArguments, startedAt: number): void {
  const seconds = (performance.now() - startedAt) / 1_000;
  process.stderr.write(
    `${seeds} of ${args.seeds} seeds, ${failures} failed, ${(seeds / seconds).toFixed(1)} a second\n`,
  );
}
