import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createCountDown } from './count-down.ts';

/** Returns a function that advances the time. */
function simulateTime({ mock }: TestContext): (ms: number) => void {
  let nowMs = 0;
  mock.timers.enable({ apis: ['setTimeout'] });
  mock.method(performance, 'now', () => nowMs);
  return (ms) => {
    nowMs += ms;
    mock.timers.tick(ms);
  };
}

test('only time between start and stop counts', (t) => {
  const pass = simulateTime(t);
  let ends = 0;
  const countDown = createCountDown(60, () => {
    ends += 1;
  });
  pass(80);
  assert.deepEqual([ends, countDown.usedMs()], [0, 0]);
  countDown.start();
  pass(20);
  countDown.stop();
  pass(80);
  assert.deepEqual([ends, countDown.usedMs()], [0, 20]);
  countDown.start();
  countDown.start();
  pass(39);
  assert.deepEqual([ends, countDown.usedMs()], [0, 59]);
  pass(1);
  assert.deepEqual([ends, countDown.usedMs()], [1, 60]);
  pass(40);
  countDown.stop();
  countDown.stop();
  pass(40);
  assert.deepEqual([ends, countDown.usedMs()], [1, 100]);
});

test('it ends once, even if it is started again', (t) => {
  const pass = simulateTime(t);
  let ends = 0;
  const countDown = createCountDown(60, () => {
    ends += 1;
  });
  for (const _ of [1, 2, 3]) {
    countDown.start();
    pass(60);
    countDown.stop();
  }
  assert.equal(ends, 1);
});

test('a timer that fires early counts as the whole limit', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const countDown = createCountDown(60, () => undefined);
  countDown.start();
  nowMs = 59.6;
  t.mock.timers.tick(60);
  countDown.stop();
  assert.equal(countDown.usedMs(), 60);
});
