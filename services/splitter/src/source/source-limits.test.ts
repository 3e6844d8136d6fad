/** The documented limits. Their effects are tested with `openSource` and `inspectSource`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressError, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { inspectSource } from './inspect-source.ts';
import { DEFAULT_SOURCE_LIMITS } from './source-limits.ts';

// Covers D-9.13 B-3.1
test('the default limits of a source', () => {
  const { connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs, maxFetchMs } = DEFAULT_SOURCE_LIMITS;
  assert.deepEqual(
    [connectTimeoutMs, firstByteTimeoutMs, idleTimeoutMs, maxFetchMs],
    [5_000, 15_000, 15_000, 3_600_000],
  );
  const { speedWindowMs, minBytesPerSecond, maxResumes, retryDelayMs } = DEFAULT_SOURCE_LIMITS;
  assert.deepEqual([speedWindowMs, minBytesPerSecond, maxResumes], [30_000, 1_024, 3]);
  assert.ok(retryDelayMs < 2_000);
});

// Covers D-2.21
test('both requests for the size of a source take at most 3 s together, for any source', async () => {
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
