import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSpeedWatch } from './speed-watch.ts';

const aWatch = () => {
  const watch = createSpeedWatch(30_000, 1_024);
  assert.equal(watch.observe(60_000, 0), true, 'the wait for the first byte does not count');
  return watch;
};

// Covers B-3.2
test('a source at the minimum speed passes, a slower one fails', () => {
  for (const everyMs of [10, 500, 1_000, 7_500, 15_000]) {
    const bytes = (1_024 * everyMs) / 1_000;
    const atFloor = createSpeedWatch(30_000, 1_024);
    atFloor.observe(0, bytes);
    for (let ms = everyMs; ms < 200_000; ms += everyMs) {
      assert.equal(atFloor.observe(everyMs, bytes), true, `${everyMs} ms, at ${ms}`);
    }
    const below = createSpeedWatch(30_000, 1_024);
    below.observe(0, bytes);
    const verdicts = Array.from({ length: 60_000 / everyMs }, () => below.observe(everyMs, bytes * 0.99));
    assert.ok(verdicts.includes(false), `${everyMs} ms`);
  }
});

test('no source fails before a whole window', () => {
  const watch = aWatch();
  assert.equal(watch.observe(29_999, 0), true);
  assert.equal(watch.observe(1, 0), false);
});

test('every window counts: a fast start affects only the windows that contain it', () => {
  const watch = aWatch();
  assert.equal(watch.observe(14_000, 1 << 30), true);
  const verdicts = [14_000, 14_000, 3_000].map((waitedMs) => watch.observe(waitedMs, 1));
  assert.deepEqual(verdicts, [true, true, false]);
});

test('a pause is judged with the bytes before it', () => {
  const watch = aWatch();
  watch.observe(0, 30 * 1_024);
  assert.equal(watch.observe(31_000, 30 * 1_024), false);
});

test('no source fails without waiting', () => {
  const watch = aWatch();
  for (let chunk = 0; chunk < 1_000; chunk++) assert.equal(watch.observe(0, 1), true);
});
