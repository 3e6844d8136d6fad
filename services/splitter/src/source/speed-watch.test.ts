import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSpeedWatch } from './speed-watch.ts';

test('a source at the floor passes, one below it does not', () => {
  const atFloor = createSpeedWatch(30_000, 1_024);
  for (let second = 0; second < 90; second++) assert.equal(atFloor.observe(1_000, 1_024), true);
  const below = createSpeedWatch(30_000, 1_024);
  for (let second = 0; second < 29; second++) assert.equal(below.observe(1_000, 1_023), true);
  assert.equal(below.observe(1_000, 1_023), false);
});

test('a fast start does not excuse the next window', () => {
  const watch = createSpeedWatch(30_000, 1_024);
  assert.equal(watch.observe(30_000, 1 << 30), true);
  assert.equal(watch.observe(30_000, 1), false);
});

test('without waiting there is no verdict', () => {
  const watch = createSpeedWatch(30_000, 1_024);
  for (let chunk = 0; chunk < 1_000; chunk++) assert.equal(watch.observe(0, 1), true);
});
