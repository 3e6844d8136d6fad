/** `npm run verify -- simulate`: many seeds over a few processes, against an embedded Postgres that lives as long as the run. */
import { type ChildProcess, fork } from 'node:child_process';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@audiosplit/chassis/errors';
import { StartError } from '@audiosplit/chassis/process/lifecycle';
import { startEmbeddedPostgres } from '../../deploy/embedded/postgres/embedded-postgres.ts';
import { parseSimulate, SIMULATE_HELP, type SimulateArguments } from './command-line.ts';
import { add, describeFailure, describeTotals, emptyTotals, type Totals } from './report.ts';
import type { SeedAnswer, SeedOrder } from './seed-worker.ts';

const MEMORY_FOLDER = '/dev/shm';
/** What a step leaves behind is mostly dead at once. */
const MEMORY_FLAGS = ['--max-semi-space-size=64'];
const PROGRESS_EVERY_MS = 10_000;
/** More say no more. */
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
  const inMemory = await access(MEMORY_FOLDER, constants.W_OK).then(
    () => true,
    () => false,
  );
  const folder = await mkdtemp(join(inMemory ? MEMORY_FOLDER : tmpdir(), 'audiosplit-simulation-'));
  running.defer(() => rm(folder, { recursive: true, force: true }));
  const postgres = running.use(
    await startEmbeddedPostgres({ directory: join(folder, 'postgres'), durable: false, maxConnections: 200 }),
  );
  const totals = emptyTotals();
  const startedAt = performance.now();
  const progress = setInterval(() => tellProgress(totals, args, startedAt), PROGRESS_EVERY_MS);
  running.defer(async () => clearInterval(progress));
  const interruption = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());
  let next = args.firstSeed;
  const draw = () => {
    const isOver =
      next >= args.firstSeed + args.seeds ||
      totals.failures.length >= MAX_FAILURES ||
      interruption.signal.aborted;
    return isOver ? undefined : next++;
  };
  const count = Math.min(args.processes, args.seeds);
  await Promise.all(Array.from({ length: count }, () => work(postgres.url, folder, args, totals, draw)));
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  process.stdout.write(`${describeTotals(totals)}in ${seconds} s\n`);
  return totals.failures.length === 0 && totals.seeds === args.seeds ? 0 : 1;
}

/** One process from its first seed to its last. */
function work(
  databaseUrl: string,
  scratchDir: string,
  { steps, flaw }: SimulateArguments,
  totals: Totals,
  draw: () => number | undefined,
): Promise<void> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'seed-worker.ts'), {
    env: { ...process.env, TEST_DATABASE_URL: databaseUrl, SCRATCH_DIR: scratchDir },
    execArgv: [...process.execArgv, ...MEMORY_FLAGS],
  });
  child.on('message', (answer: SeedAnswer) => {
    if (answer !== 'ready') {
      for (const failed of answer.failures) process.stdout.write(describeFailure(failed, steps));
      add(totals, answer);
    }
    const seed = draw();
    if (seed === undefined) child.disconnect();
    else child.send({ seed, steps, flaw } satisfies SeedOrder);
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`a process of the simulation ended with ${signal ?? code}`));
    });
  });
}

function tellProgress({ seeds, failures }: Totals, args: SimulateArguments, startedAt: number): void {
  const seconds = (performance.now() - startedAt) / 1_000;
  process.stderr.write(
    `${seeds} of ${args.seeds} seeds, ${failures.length} failed, ${(seeds / seconds).toFixed(1)} a second\n`,
  );
}
