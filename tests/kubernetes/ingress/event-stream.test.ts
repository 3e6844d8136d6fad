import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Arrival, judgeStream } from './event-stream.ts';

const OPENING = 'retry: 2000\n\n';
const HEARTBEAT = ':\n\n';
const event = (id: number, type: string) => `id: ${id}\nevent: ${type}\ndata: {}\n\n`;
const at = (...arrivals: readonly (readonly [seconds: number, text: string])[]): readonly Arrival[] =>
  arrivals.map(([seconds, text]) => ({ atMs: seconds * 1_000, text }));

test('a stream that delivers events as they happen, until the end of the job, is accepted', () => {
  const arrivals = at(
    [0.1, OPENING],
    [4, event(0, 'progress')],
    [19, HEARTBEAT],
    [34, HEARTBEAT],
    [49, event(50, 'progress')],
    [64, HEARTBEAT],
    [76, event(101, 'completed')],
  );
  assert.equal(judgeStream(arrivals), '3 events in one stream of 76 s, never silent for more than 15 s');
});

test('a stream that ends before the job is reported as cut off', () => {
  const arrivals = at([0.1, OPENING], [4, event(0, 'progress')], [60, HEARTBEAT]);
  assert.throws(() => judgeStream(arrivals), /ended after 60 s, with progress$/);
  assert.throws(() => judgeStream([]), /ended after 0 s, with no event$/);
});

test('a stream whose events arrive together is reported as held back', () => {
  const everything = OPENING + event(0, 'progress') + HEARTBEAT + event(101, 'completed');
  assert.throws(() => judgeStream(at([76, everything])), /held back: nothing came for 76 s/);
});

test('a stream of a short job proves nothing', () => {
  assert.throws(() => judgeStream(at([1, OPENING], [9, event(101, 'completed')])), /over after 9 s/);
});
