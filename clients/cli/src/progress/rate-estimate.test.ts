import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRateEstimate, secondsLeft } from './rate-estimate.ts';

test('there is no rate without data', () => {
  const rate = createRateEstimate();
  assert.equal(rate.perSecond(0), undefined);
  rate.add(0, 0);
  assert.equal(rate.perSecond(10_000), undefined);
  rate.add(100, 50);
  assert.equal(rate.perSecond(100), undefined);
  assert.equal(rate.perSecond(1_000), 50);
});

test('data older than 30 s does not count', () => {
  const rate = createRateEstimate();
  for (let second = 0; second <= 60; second++) rate.add(second * 1_000, second);
  for (let second = 61; second <= 120; second++) rate.add(second * 1_000, 60 + (second - 60) * 10);
  assert.equal(rate.perSecond(120_000), 10);
});

test('progress in steps gives a steady rate', () => {
  const rate = createRateEstimate();
  for (let second = 0; second <= 60; second++) rate.add(second * 1_000, Math.floor(second / 10) * 10);
  const figures = [60, 63, 66, 69].map((second) => rate.perSecond(second * 1_000) ?? 0);
  for (const figure of figures) assert.ok(figure > 0.7 && figure < 1.1, String(figures));
});

test('decreasing figures restart the estimate', () => {
  const rate = createRateEstimate();
  rate.add(0, 0);
  rate.add(1_000, 1_000);
  rate.add(2_000, 10);
  assert.equal(rate.perSecond(2_000), undefined);
  rate.add(3_000, 30);
  assert.equal(rate.perSecond(3_000), 20);
});

test('the remaining time follows from the rate', () => {
  assert.equal(secondsLeft(40, 100, 20), 3);
  assert.equal(secondsLeft(100, 100, 20), 0);
  assert.equal(secondsLeft(101, 100, 20), 0);
  assert.equal(secondsLeft(0, 100, undefined), undefined);
  assert.equal(secondsLeft(0, 100, 0), undefined);
});
