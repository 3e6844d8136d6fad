import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RequestSample } from './samples.ts';
import { timelineOf } from './timeline.ts';

const START_MS = 1_800_000_000_000;

function request(second: number, durationMs: number, status = 200): RequestSample {
  return {
    atMs: START_MS + second * 1_000,
    durationMs,
    scenario: 'read',
    status,
    isExpected: status < 500,
    window: undefined,
  };
}

test('a short run has a point for each second, empty ones too', () => {
  const { bucketSeconds, points } = timelineOf([
    request(2.9, 30, 500),
    request(0, 10),
    request(0.5, 20, 429),
    request(0.9, 40),
  ]);
  assert.equal(bucketSeconds, 1);
  assert.deepEqual(
    points.map(({ second, answeredPerSecond, refusedPerSecond, failedPerSecond, p99Ms }) => [
      second,
      answeredPerSecond,
      refusedPerSecond,
      failedPerSecond,
      p99Ms,
    ]),
    [
      [0.5, 2, 1, 0, 40],
      [1.5, 0, 0, 0, Number.NaN],
      [2.5, 0, 0, 1, 30],
    ],
  );
});

test('a long run has wider buckets and rates per second', () => {
  const { bucketSeconds, points } = timelineOf(
    Array.from({ length: 7_200 }, (_, second) => request(second, 10)),
  );
  assert.equal(bucketSeconds, 30);
  assert.equal(points.length, 240);
  assert.ok(points.every(({ answeredPerSecond }) => answeredPerSecond === 1));
});

test('a run without answers has no points', () => {
  assert.deepEqual(timelineOf([]).points, []);
});
