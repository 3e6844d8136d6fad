import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ObservedRequest } from './light-load.ts';
import { describeOutage, findOutage } from './outage.ts';

const asked = (beganAtMs: number, status: number, kind: ObservedRequest['kind'] = 'list') => ({
  kind,
  beganAtMs,
  endedAtMs: beganAtMs + 100,
  status,
});

test('an outage lasts until the first answer after the last failure', () => {
  const requests = [
    asked(0, 503),
    asked(1_000, 200),
    asked(2_000, 503),
    asked(3_000, 0),
    asked(4_000, 200),
    asked(5_000, 200),
  ];
  const outage = findOutage(requests, 1_500);
  assert.deepEqual([outage.asked, outage.failed, outage.seconds, outage.lasts], [4, 2, 2.6, false]);
  assert.equal(describeOutage(outage), '2 of 4 requests failed: 1 with 503, 1 without an answer');
});

test('without a failure there is none, and without a success it lasts', () => {
  const well = findOutage([asked(0, 200), asked(10, 201, 'create')], 0);
  assert.deepEqual([well.seconds, well.lasts, describeOutage(well)], [0, false, '2 requests, none failed']);
  assert.equal(findOutage([asked(0, 200), asked(10, 503)], 0).lasts, true);
});

test('only the kinds that are asked for count', () => {
  assert.equal(findOutage([asked(0, 503, 'download'), asked(5, 200)], 0, ['list']).failed, 0);
});
