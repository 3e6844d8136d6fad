import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { analyseLimit } from './limit-windows.ts';
import type { AnswerVerdict } from './refusal.ts';
import type { WindowAnswer } from './samples.ts';

const LIMIT = 10;
const FIRST_RESET = 1_800_000_000;

/** One entry for each window: the number of requests that passed, were refused, or had another response. */
function answersOf(...windows: readonly (readonly [passed: number, refused: number, other?: number])[]) {
  return windows.flatMap(([passed, refused, other = 0], n) => {
    const window = String(FIRST_RESET + 60 * n);
    const times = (count: number, verdict: AnswerVerdict): WindowAnswer[] =>
      Array.from({ length: count }, () => ({ window, verdict }));
    return [...times(passed, 'passed'), ...times(refused, 'refused'), ...times(other, 'other')];
  });
}

describe('windows of a limit', () => {
  test('between a cut first and a cut last one, each passes exactly the limit', () => {
    const found = analyseLimit(answersOf([4, 0], [10, 40], [10, 41], [10, 3]), LIMIT, 2);
    assert.deepEqual(found.violations, []);
    const seen = found.windows.map(({ passed, isFull }) => `${passed}${isFull ? ' full' : ''}`);
    assert.deepEqual(seen, ['4', '10 full', '10 full', '10']);
  });

  test('the order of answers does not matter, nor that windows are strings', () => {
    const found = analyseLimit(answersOf([1, 0], [10, 40], [2, 0]).toReversed(), LIMIT, 1);
    const resets = found.windows.map(({ resetAtSeconds }) => resetAtSeconds - FIRST_RESET);
    assert.deepEqual(resets, [0, 60, 120]);
    assert.deepEqual(found.violations, []);
  });

  test('one too many is a violation, in a cut window too', () => {
    const { violations } = analyseLimit(answersOf([11, 0], [11, 39], [1, 0]), LIMIT, 1);
    assert.equal(violations.length, 2);
    assert.match(violations[0] ?? '', /2027-01-15T08:00:00.000Z passed 11, more than the limit of 10/);
  });

  test('one too few is a violation in a full window, and tells a wrong refusal from too little load', () => {
    const refused = analyseLimit(answersOf([1, 0], [9, 41], [1, 0]), LIMIT, 1);
    assert.match(refused.violations.join(), /passed 9, fewer than the limit of 10, and refused 41/);
    const offered = analyseLimit(answersOf([1, 0], [9, 0], [1, 0]), LIMIT, 1);
    assert.match(offered.violations.join(), /was offered 9 only/);
  });

  test('answers of another kind, answers without a window and windows that are missing are violations', () => {
    const stranger = { window: 'none', verdict: 'passed' } as const;
    const answers = answersOf([1, 0], [10, 3, 2], [1, 0]);
    assert.deepEqual(analyseLimit([...answers, stranger], LIMIT, 3).violations, [
      '1 answers did not say which window they belong to',
      'only 1 of 3 full windows were seen',
      'the window that ended at 2027-01-15T08:01:00.000Z had 2 answers that neither passed nor were refused',
    ]);
  });

  test('a run without an answer has no full window', () => {
    assert.deepEqual(analyseLimit([], LIMIT, 1).violations, ['only 0 of 1 full windows were seen']);
  });
});
