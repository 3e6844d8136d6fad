import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verdictOf } from './verdict.ts';

const slow = { code: 'ST112' };
const broken = { code: 'ST101' };

test('a run without findings is clean', () => {
  assert.deepEqual(verdictOf(0, { failures: [], errors: [], warnings: {} }), { kind: 'clean' });
});

test('a run with slow responses only is slow', () => {
  const verdict = verdictOf(1, { failures: [slow], errors: [], warnings: { missing_auth: [] } });
  assert.deepEqual(verdict, { kind: 'slow' });
});

for (const [what, report] of [
  ['another failure beside them', { failures: [slow, broken], errors: [], warnings: {} }],
  ['an error beside them', { failures: [slow], errors: [{ title: 'Network Error' }], warnings: {} }],
  ['a warning beside them', { failures: [slow], errors: [], warnings: { missing_auth: ['GET /'] } }],
  ['an interrupted run', { failures: [], errors: [], warnings: {} }],
] as const) {
  test(`found: ${what}`, () => assert.deepEqual(verdictOf(1, report), { kind: 'found' }));
}
