/**
 * Runs a few seeds on the services' code, and one seed twice. `npm run verify -- simulate` runs many, and
 * proves that broken code is found.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type TemporaryFolder, temporaryFolder } from '../harness/temporary-folder.ts';
import { openSimulationDatabase, type SimulationDatabase } from './database/database.ts';
import { DEFAULT_STEPS } from './run/command-line.ts';
import { runSeed } from './run/run-seed.ts';

const SEEDS = 2;

describe('simulation', () => {
  let database: SimulationDatabase;
  let scratch: TemporaryFolder;
  const run = (seed: number) => runSeed({ seed, steps: DEFAULT_STEPS, database, scratchDir: scratch.path });

  before(async () => {
    scratch = await temporaryFolder();
    database = await openSimulationDatabase();
  });
  after(async () => {
    await database[Symbol.asyncDispose]();
    await scratch[Symbol.asyncDispose]();
  });

  test(`no invariant is violated by ${SEEDS} seeds`, async () => {
    const failures: string[] = [];
    let jobs = 0;
    for (let seed = 1; seed <= SEEDS; seed++) {
      const report = await run(seed);
      jobs += report.jobs;
      if (report.failure !== undefined) failures.push(`seed ${seed}: ${report.failure.message}`);
    }
    assert.deepEqual(failures, []);
    assert.ok(jobs > SEEDS, `${jobs} jobs`);
  });

  test('a seed gives the same run, after any other', async () => {
    const first = await run(7);
    await run(8);
    const again = await run(7);
    assert.equal(again.traceHash, first.traceHash);
    assert.equal(again.steps, first.steps);
    assert.notEqual((await run(9)).traceHash, first.traceHash);
  });
});
