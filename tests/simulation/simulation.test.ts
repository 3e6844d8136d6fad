/** Seeds on the real code, the same seed twice, and the proof that broken code is seen. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DEFAULT_STEPS } from './command-line.ts';
import type { Flaw } from './flaws.ts';
import { runSeed } from './run-seed.ts';
import { openSimulationDatabase, type SimulationDatabase } from './simulation-database.ts';

const SEEDS = 20;
const MAX_SEEDS_TO_FIND = 40;

describe('simulation', () => {
  let database: SimulationDatabase;
  let scratchDir: string;
  const run = (seed: number, flaw?: Flaw) =>
    runSeed({ seed, steps: DEFAULT_STEPS, database, scratchDir, ...(flaw === undefined ? {} : { flaw }) });

  before(async () => {
    scratchDir = await mkdtemp(join(tmpdir(), 'audiosplit-simulation-'));
    database = await openSimulationDatabase();
  });
  after(async () => {
    await database[Symbol.asyncDispose]();
    await rm(scratchDir, { recursive: true });
  });

  test(`no invariant is broken by ${SEEDS} seeds`, async () => {
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

  test('a seed has one course, whatever ran before it', async () => {
    const first = await run(7);
    await run(8);
    const again = await run(7);
    assert.equal(again.traceHash, first.traceHash);
    assert.equal(again.steps, first.steps);
    assert.notEqual((await run(9)).traceHash, first.traceHash);
  });

  // A completion under a stale fence takes a few dozen seeds: npm run verify -- simulate --flaw 'fence ignored'.
  const invariants: Readonly<Record<Exclude<Flaw, 'fence ignored'>, string | readonly string[]>> = {
    'accepted job lost': 'no accepted job is lost',
    'answers not kept': 'a repeated creation makes one job',
    'attempts counted twice': ['no job has more than its attempts', 'no part has more than its attempts'],
    'fence not raised': 'each attempt has a fence of its own',
    'cap ignored': 'the cap is never exceeded',
    'newest offered first': 'order per account is kept',
    'counters left behind': 'counters are exact',
    'completion untold': 'every completed job is counted',
    'upload skipped': 'no segment row is without its object',
    'last segment left out': 'a completed job has all its segments',
    'leftovers not doomed': "nothing is stored that is nobody's",
    'redelivery counted again': 'usage is counted once, of what was done',
    'limits survive a purge': 'a purge leaves nothing',
    'charge repeated': 'every charge is known',
    'parts outlive their job': 'parts are there while their job is done in parts',
  };
  for (const [flaw, invariant] of Object.entries(invariants)) {
    test(`code that is broken is seen, and the seed shows it again: ${flaw}`, async () => {
      let first = await run(1, flaw as Flaw);
      for (let seed = 2; first.failure === undefined && seed <= MAX_SEEDS_TO_FIND; seed++)
        first = await run(seed, flaw as Flaw);
      assert.ok(
        [invariant].flat().includes(first.failure?.invariant ?? ''),
        first.failure?.message ?? 'no failure',
      );
      const again = await run(first.seed, flaw as Flaw);
      assert.deepEqual(again.failure, first.failure);
      assert.equal(again.traceHash, first.traceHash);
    });
  }
});
