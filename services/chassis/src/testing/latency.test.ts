import assert from 'node:assert/strict';
import { test } from 'node:test';
import { latencyOf, quantile } from './latency.ts';

test('a quantile is a measured value, by nearest rank', () => {
  const hundred = Array.from({ length: 100 }, (_, n) => n + 1);
  assert.equal(quantile(hundred, 0.99), 99);
  assert.equal(quantile(hundred, 0.5), 50);
  assert.equal(quantile(hundred, 1), 100);
  assert.equal(quantile([7], 0.01), 7);
  assert.equal(quantile([1, 2], 0.51), 2);
  assert.ok(Number.isNaN(quantile([], 0.5)));
});

test('latencies are sorted as numbers', () => {
  assert.deepEqual(latencyOf([9, 100, 10]), { count: 3, p50Ms: 10, p95Ms: 100, p99Ms: 100, maxMs: 100 });
});
