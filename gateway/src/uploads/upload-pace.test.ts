import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createUploadPace } from './upload-pace.ts';

const MINIMUM = 16 * 1024;
const create = () => createUploadPace({ idleMs: 10_000, minBytesPerSecond: MINIMUM, nowMs: 0 });

test('an upload without a byte for 10 s is too slow', () => {
  const pace = create();
  assert.equal(pace.complaint(9_999), undefined);
  assert.match(pace.complaint(10_000) ?? '', /no byte came for 10 s/);
  pace.arrived(1, 10_000);
  assert.equal(pace.complaint(19_999), undefined);
  assert.match(pace.complaint(20_000) ?? '', /no byte/);
});

// Covers B-8.4
test('an upload of one byte a second is too slow after 30 s', () => {
  const pace = create();
  for (let second = 1; second < 30; second++) {
    pace.arrived(1, second * 1_000);
    assert.equal(pace.complaint(second * 1_000), undefined);
  }
  assert.match(pace.complaint(30_000) ?? '', /less than 16384 bytes a second/);
});

test('16 KiB a second is fast enough for any time, and an upload that becomes slower is not', () => {
  const pace = create();
  let second = 0;
  for (; second < 100; second++) {
    pace.arrived(MINIMUM, second * 1_000);
    assert.equal(pace.complaint(second * 1_000), undefined, `${second} s`);
  }
  pace.arrived(60 * MINIMUM, second * 1_000);
  let slowAt = 0;
  for (; slowAt === 0; second++) {
    pace.arrived(1, second * 1_000);
    if (pace.complaint(second * 1_000) !== undefined) slowAt = second;
  }
  assert.ok(slowAt > 128 && slowAt < 133, `${slowAt} s`);
});

test('time in which the gateway does not read does not count', () => {
  const pace = create();
  pace.arrived(1, 1_000);
  pace.paused(2_000);
  assert.equal(pace.complaint(1_000_000), undefined);
  pace.resumed(1_000_000);
  assert.equal(pace.complaint(1_008_999), undefined);
  assert.match(pace.complaint(1_009_000) ?? '', /no byte/);
});
