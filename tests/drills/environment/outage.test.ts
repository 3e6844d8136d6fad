import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObservedRequest } from './light-load.ts';
import { describeOutage, findOutage } from './outage.ts';

const request = (beganAtMs: number, status: number, kind: ObservedRequest['kind'] = 'list') => ({
  kind,
  beganAtMs,
  endedAtMs: beganAtMs + 100,
  status,
});

test('an outage lasts until the first success after the last failure', () => {
  const requests = [
    request(0, 503),
    request(1_000, 200),
    request(2_000, 503),
    request(3_000, 0),
    request(4_000, 200),
    request(5_000, 200),
  ];
  const outage = findOutage(requests, 1_500);
  assert.deepEqual([outage.total, outage.failed, outage.seconds, outage.lasts], [4, 2, 2.6, false]);
  assert.equal(describeOutage(outage), '2 of 4 requests failed: 1 with 503, 1 without an answer');
});

test('no outage exists without a failure, and one without a success is still lasting', () => {
  const well = findOutage([request(0, 200), request(10, 201, 'create')], 0);
  assert.deepEqual([well.seconds, well.lasts, describeOutage(well)], [0, false, '2 requests, none failed']);
  assert.equal(findOutage([request(0, 200), request(10, 503)], 0).lasts, true);
});

test('only the given kinds count', () => {
  assert.equal(findOutage([request(0, 503, 'download'), request(5, 200)], 0, ['list']).failed, 0);
});
