/** The figures that callers are told of; what they do is shown beside `openSource` and `inspectSource`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressError, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { inspectSource } from './inspect-source.ts';
import { DEFAULT_SOURCE_LIMITS } from './source-limits.ts';
import { createSpeedWatch } from './speed-watch.ts';

// Covers D-9.13
test('a source may be silent for 30 s, and must bring 1 KB a second over 30 s', () => {
  const { idleTimeoutMs, speedWindowMs, minBytesPerSecond } = DEFAULT_SOURCE_LIMITS;
  assert.deepEqual([idleTimeoutMs, speedWindowMs], [30_000, 30_000]);
  const watch = () => createSpeedWatch(speedWindowMs, minBytesPerSecond);
  assert.equal(watch().observe(30_000, 30 * 1_024), true);
  assert.equal(watch().observe(30_000, 30 * 1_024 - 1), false);
  assert.equal(watch().observe(29_999, 0), true, 'there is no verdict before');
});

// Covers D-2.21
test('both questions about the size of a source take 3 s together, whatever it does', async () => {
  const asked: [string, AbortSignal | undefined][] = [];
  const egress: GuardedEgress = {
    request(_url, { method, signal }) {
      asked.push([method, signal]);
      const { promise, reject } = Promise.withResolvers<never>();
      if (method === 'HEAD') reject(new EgressError('connection-lost', 'no HEAD here'));
      signal?.addEventListener('abort', () => reject(new EgressError('aborted', 'silent')));
      return promise;
    },
    check: () => Promise.reject(new Error('only asked')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const askedAt = performance.now();
  assert.deepEqual(await inspectSource(egress, 'https://example.com/a.mp3'), {});
  const tookMs = performance.now() - askedAt;
  assert.ok(tookMs > 2_900 && tookMs < 10_000, `${tookMs} ms`);
  const [[first, signal] = [], [second, sameSignal] = []] = asked;
  assert.deepEqual([first, second, asked.length], ['HEAD', 'GET', 2]);
  assert.ok(signal !== undefined && signal === sameSignal, 'one budget for both');
});
