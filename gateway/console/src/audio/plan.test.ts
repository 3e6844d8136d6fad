import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planSplit, type SplitRequest } from './plan.ts';

const source = { seconds: 100, bytes: 1_600_000, name: 'talk.mp3' };
const lengthOf = (segmentDuration: number): SplitRequest => ({
  cut: { splitMode: 'duration', segmentDuration },
  format: undefined,
});
const byLength = lengthOf(30);
const bySize: SplitRequest = { cut: { splitMode: 'fileSize', maxFileSize: 500_000 }, format: undefined };

test('by length the last segment has what is left', () => {
  const plan = planSplit(source, byLength);
  assert.equal(plan?.count, 4);
  assert.equal(plan?.lastSeconds, 10);
  assert.deepEqual(plan?.borders, [30, 60, 90]);
  assert.equal(plan?.segmentBytes, 480_000);
  assert.equal(plan?.isExact, true);
});

test('a length that divides the source leaves no empty segment', () => {
  const plan = planSplit(source, lengthOf(25));
  assert.equal(plan?.count, 4);
  assert.equal(plan?.lastSeconds, 25);
});

test('a source shorter than a segment is one', () => {
  const plan = planSplit(source, lengthOf(300));
  assert.equal(plan?.count, 1);
  assert.equal(plan?.segmentSeconds, 100);
  assert.deepEqual(plan?.borders, []);
});

test('by size the length follows from the rate of the source, or of the format', () => {
  assert.equal(planSplit(source, bySize)?.count, 4);
  assert.equal(planSplit(source, bySize)?.segmentBytes, 500_000);
  assert.equal(planSplit(source, bySize)?.isExact, false);
  assert.equal(planSplit(source, { ...bySize, format: 'wav' })?.count, 36);
});

test('what cannot be known is not made up', () => {
  assert.equal(planSplit({ ...source, seconds: undefined }, byLength), undefined);
  assert.equal(planSplit(source, { ...bySize, format: 'flac' }), undefined);
  assert.equal(planSplit(source, { ...byLength, format: 'flac' })?.segmentBytes, undefined);
});
