import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EgressError, type EgressRequest, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import { ATTEMPT_TIMEOUT_MS, post } from './send.ts';

// Covers D-4.11 D-4.12
test('a receiver has 15 s for the whole request, and redirects are not followed', async () => {
  const asked: EgressRequest[] = [];
  const egress: GuardedEgress = {
    request(_url, request) {
      asked.push(request);
      return Promise.reject(new EgressError('timeout', 'silent'));
    },
    check: () => Promise.reject(new Error('only posted to')),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const { signal } = new AbortController();
  const posting = {
    accountId: 'acc_1',
    url: 'https://example.com/',
    headers: {},
    body: '{}',
    timeoutMs: ATTEMPT_TIMEOUT_MS,
    signal,
  };
  assert.deepEqual(await post(egress, posting, new Date()), {
    kind: 'unanswered',
    error: 'silent',
    timedOut: true,
  });
  const [{ connectTimeoutMs, headersTimeoutMs, idleTimeoutMs, totalTimeoutMs, maxRedirects } = {}] = asked;
  assert.deepEqual(
    [connectTimeoutMs, headersTimeoutMs, idleTimeoutMs, totalTimeoutMs, maxRedirects],
    [15_000, 15_000, 15_000, 15_000, 0],
  );
});
