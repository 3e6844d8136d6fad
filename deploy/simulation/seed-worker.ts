/** Runs the seeds that it is sent, one after the other, on a database of its own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Flaw } from './flaws.ts';
import { type Totals, totalsOf } from './report.ts';
import { runSeed } from './run-seed.ts';
import { openSimulationDatabase } from './simulation-database.ts';

export interface SeedOrder {
  readonly seed: number;
  readonly steps: number;
  readonly flaw: Flaw | undefined;
}

/** Sent after each seed, and once at the start, with nothing in it, to ask for the first. */
export type SeedAnswer = Totals | 'ready';

const scratchDir = await mkdtemp(join(tmpdir(), 'audiosplit-simulation-'));
const database = await openSimulationDatabase();
const tell = (answer: SeedAnswer) => process.send?.(answer);

process.on('message', async ({ seed, steps, flaw }: SeedOrder) => {
  tell(
    totalsOf(await runSeed({ seed, steps, database, scratchDir, ...(flaw === undefined ? {} : { flaw }) })),
  );
});
// A terminal's Ctrl-C is for the process that sends the seeds, which then lets this one finish.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.once('disconnect', async () => {
  await database[Symbol.asyncDispose]();
  await rm(scratchDir, { recursive: true, force: true });
});
tell('ready');
