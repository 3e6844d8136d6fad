import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createEventLoopYield } from './event-loop-yield.ts';

test('the event loop turns when its time has come, and not before', async () => {
  let nowMs = 1_000;
  const turn = createEventLoopYield(() => nowMs);
  let turns = 0;
  const countTurn = (): void => {
    turns += 1;
    immediate = setImmediate(countTurn);
  };
  let immediate = setImmediate(countTurn);
  assert.equal(turn(), undefined);
  for (const expected of [1, 2, 3]) {
    nowMs += 20;
    await turn();
    assert.ok(turns >= expected);
    assert.equal(turn(), undefined);
  }
  clearImmediate(immediate);
});
