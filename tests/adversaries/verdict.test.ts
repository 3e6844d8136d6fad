import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderReport } from './report.ts';
import { faultsOf, type Measured } from './verdict.ts';

const MEBIBYTE = 1024 ** 2;
const BOUNDS = { growthBytes: 96 * MEBIBYTE, scratchBytes: 2_048 * MEBIBYTE };
const HELD: Measured = {
  name: 'trickle',
  title: 'sources that trickle',
  bound: 'SPLITTER_FETCHES',
  idleMs: [1_000, 1_100, 900],
  besideMs: [1_100, 1_190, 1_000],
  growthBytes: 20 * MEBIBYTE,
  scratchBytes: 0,
  got: '3 x accepted',
  lost: [],
  broken: [],
};

test('a median that moves by a tenth, and little memory, exceed no limit', () => {
  assert.deepEqual(faultsOf(HELD, BOUNDS), []);
});

test('a difference below 100 ms does not count, for any ratio', () => {
  assert.deepEqual(faultsOf({ ...HELD, idleMs: [50], besideMs: [149] }, BOUNDS), []);
  assert.equal(faultsOf({ ...HELD, idleMs: [50], besideMs: [151] }, BOUNDS).length, 1);
});

test('each exceeded limit, and each loss, has a line', () => {
  const measured = {
    ...HELD,
    besideMs: [2_000],
    growthBytes: 97 * MEBIBYTE,
    scratchBytes: 3_000 * MEBIBYTE,
    lost: ['job_1 has no segments'],
  };
  assert.deepEqual(faultsOf(measured, BOUNDS), [
    'the median moved from 1000 to 2000 ms',
    'a process grew by 97 MiB',
    'scratch held 3000 MiB',
    'lost: job_1 has no segments',
  ]);
});

test('the report has a row for each adversary, and names the exceeded limits', () => {
  const facts = { isDistributed: false, startedAt: new Date('2026-11-25T12:00:00Z') };
  const page = renderReport([HELD, { ...HELD, lost: ['one'] }], BOUNDS, facts);
  assert.match(
    page,
    /\| sources that trickle \| SPLITTER_FETCHES \| 1100 \(1000\) \| 1190 \(1100\) \| 20 MiB \|/,
  );
  assert.match(page, /Bounds that did not hold:\n\n- sources that trickle: lost: one/);
});
