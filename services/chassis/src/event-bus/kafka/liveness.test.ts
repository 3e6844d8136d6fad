import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLivenessWatch } from './liveness.ts';

function watchWith(check: () => Promise<void>) {
  let nowMs = 0;
  const watch = createLivenessWatch({ maxSilenceMs: 100, nowMs: () => nowMs, check });
  const isDeadAt = (ms: number) => {
    nowMs = ms;
    return watch.isDead();
  };
  return { watch, isDeadAt };
}

test('a consumer is dead if it shows no activity at two checks while the brokers respond', async () => {
  const { isDeadAt } = watchWith(async () => undefined);
  assert.deepEqual([await isDeadAt(100), await isDeadAt(101), await isDeadAt(102)], [false, false, true]);
});

test('activity between the checks keeps it alive', async () => {
  const { watch, isDeadAt } = watchWith(async () => undefined);
  assert.equal(await isDeadAt(150), false);
  watch.sign();
  assert.deepEqual([await isDeadAt(250), await isDeadAt(251), await isDeadAt(252)], [false, false, true]);
});

test('a consumer without activity is not dead while the brokers are unavailable', async () => {
  let isAway = true;
  const { isDeadAt } = watchWith(async () => {
    if (isAway) throw new Error('away');
  });
  assert.equal(await isDeadAt(1_000), false);
  assert.equal(await isDeadAt(2_000), false);
  isAway = false;
  assert.equal(await isDeadAt(2_050), false);
  assert.equal(await isDeadAt(2_101), false);
  assert.equal(await isDeadAt(2_102), true);
});
