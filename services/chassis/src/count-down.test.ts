import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCountDown } from './count-down.ts';

test('time counts between start and stop alone', async () => {
  let ends = 0;
  const countDown = createCountDown(60, () => {
    ends += 1;
  });
  await sleep(80);
  assert.deepEqual([ends, countDown.usedMs()], [0, 0]);
  countDown.start();
  await sleep(20);
  countDown.stop();
  const usedMs = countDown.usedMs();
  assert.ok(usedMs >= 19, `${usedMs} ms`);
  await sleep(80);
  assert.deepEqual([ends, countDown.usedMs()], [0, usedMs]);
  countDown.start();
  countDown.start();
  await sleep(120);
  assert.equal(ends, 1);
  countDown.stop();
  countDown.stop();
  assert.ok(countDown.usedMs() >= 59);
});
