import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pauseBeforePoll } from './await-job.ts';
import { ApiFailure, ConnectionFailure } from './failures.ts';
import { pauseBeforeRepeat, withRetries } from './retry.ts';

const lost = new ConnectionFailure('cannot reach example.com (ECONNRESET)');
const limited = new ApiFailure('RATE_LIMITED', 'Too many.', { status: 429, retryAfterSeconds: 7 });

test('a full rate limit is waited out as long as it says, repeatable or not, however often', () => {
  assert.equal(pauseBeforeRepeat(limited, false, 0), 7_000);
  assert.equal(pauseBeforeRepeat(limited, true, 100), 7_000);
  assert.equal(pauseBeforeRepeat(new ApiFailure('QUEUE_FULL', '', { status: 429 }), false, 0), 5_000);
});

test('a lost connection is tried again with growing pauses, where a repeat does no harm', () => {
  const pauses = [0, 1, 2, 3, 4, 5, 6].map((repeats) => pauseBeforeRepeat(lost, true, repeats));
  assert.deepEqual(pauses, [500, 1_000, 2_000, 4_000, 8_000, 15_000, undefined]);
  assert.equal(pauseBeforeRepeat(lost, false, 0), undefined);
});

test('a server that is away for a moment is tried again, when it says so', () => {
  const away = (details: { retryAfterSeconds?: number }) =>
    new ApiFailure('SERVICE_UNAVAILABLE', '', { status: 503, ...details });
  assert.equal(pauseBeforeRepeat(away({ retryAfterSeconds: 3 }), true, 4), 3_000);
  assert.equal(pauseBeforeRepeat(away({}), true, 1), 1_000);
  assert.equal(pauseBeforeRepeat(away({}), false, 0), undefined);
});

test('refusals, failed jobs and mistakes of our own are final', () => {
  const invalid = new ApiFailure('INVALID_PARAMS', '', { status: 400 });
  for (const error of [invalid, new ApiFailure('CANCELED', ''), new Error('disk full'), 'text']) {
    assert.equal(pauseBeforeRepeat(error, true, 0), undefined);
  }
});

test('waits are told, and end at once when interrupted', async () => {
  const interruption = new AbortController();
  const waits: string[] = [];
  const waiting = withRetries(
    {
      isRepeatable: true,
      signal: interruption.signal,
      onWait: (reason) => {
        waits.push(reason);
        interruption.abort();
      },
    },
    () => Promise.reject(limited),
  );
  await assert.rejects(waiting, { name: 'AbortError' });
  assert.deepEqual(waits, ['RATE_LIMITED, trying again in 7 s']);
});

test('polling is eager at first and then every 2 s', () => {
  const pauses = [0, 1, 5, 20, 1_000].map((polls) => Math.round(pauseBeforePoll(polls, undefined, 0)));
  assert.deepEqual(pauses, [200, 260, 743, 2_000, 2_000]);
});

test('polling spreads what is left of the rate limit over the rest of its window', () => {
  assert.equal(pauseBeforePoll(0, { remaining: 6, resetAtMs: 50_000 }, 0), 10_000);
  assert.equal(pauseBeforePoll(0, { remaining: 500, resetAtMs: 50_000 }, 0), 200);
  assert.equal(pauseBeforePoll(0, { remaining: 0, resetAtMs: 4_000 }, 0), 4_000);
  // A server's clock that is off by hours must not keep anybody waiting for hours.
  assert.equal(pauseBeforePoll(0, { remaining: 1, resetAtMs: 9_000_000 }, 0), 60_000);
  assert.equal(pauseBeforePoll(0, { remaining: 1, resetAtMs: 0 }, 9_000_000), 200);
});
