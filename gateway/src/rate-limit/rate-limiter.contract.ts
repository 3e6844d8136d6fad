/** The contract of rate-limiter.ts as tests, for every adapter. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { type RateLimiter, WINDOW_SECONDS } from './rate-limiter.ts';

interface LimiterUnderTest {
  /** Several limiters with shared counts, as many as the adapter supports. */
  open(windowSeconds: number): Promise<readonly RateLimiter[]>;
  /** Time of the limiter's clock, in ms. */
  nowMs(): Promise<number>;
  /** Resolves in another window of that clock. */
  nextWindow(windowSeconds: number): Promise<void>;
}

export function testRateLimiterContract(name: string, under: LimiterUnderTest): void {
  /** Runs `work` with enough time left in the window. */
  const withLimiters = async (
    windowSeconds: number,
    work: (limiters: readonly RateLimiter[], bucket: string) => Promise<void>,
  ) => {
    await using opened = new AsyncDisposableStack();
    const limiters = await under.open(windowSeconds);
    for (const limiter of limiters) opened.use(limiter);
    const leftMs = windowSeconds * 1_000 - ((await under.nowMs()) % (windowSeconds * 1_000));
    if (leftMs < 1_500) await under.nextWindow(windowSeconds);
    await work(limiters, randomBytes(6).toString('hex'));
  };
  const LONG = WINDOW_SECONDS;
  const SHORT = 2;

  describe(`rate limiter on ${name}`, () => {
    // Covers D-3.1
    test('exactly the limit is allowed, for any number of concurrent calls', () =>
      withLimiters(LONG, async (limiters, bucket) => {
        const takes = Array.from({ length: 500 }, (_, index) => limiterAt(limiters, index).take(bucket, 300));
        const verdicts = await Promise.all(takes);
        assert.equal(verdicts.filter((verdict) => verdict.allowed).length, 300);
        const remaining = verdicts.filter((verdict) => verdict.allowed).map((verdict) => verdict.remaining);
        assert.equal(new Set(remaining).size, 300);
      }));

    // Covers I-8.5 I-8.6 I-8.7 D-3.1 D-3.5
    test('returns the remaining calls and the end of the window', () =>
      withLimiters(LONG, async (limiters, bucket) => {
        const nowMs = await under.nowMs();
        const reset = (Math.floor(nowMs / 1_000 / LONG) + 1) * LONG;
        for (const [allowed, remaining] of [
          [true, 2],
          [true, 1],
          [true, 0],
          [false, 0],
          [false, 0],
        ] as const) {
          const verdict = await limiterAt(limiters, remaining).take(bucket, 3);
          assert.equal(verdict.allowed, allowed);
          assert.equal(verdict.limit, 3);
          assert.equal(verdict.remaining, remaining);
          assert.equal(verdict.resetAtSeconds, reset);
          const untilReset = reset - nowMs / 1_000;
          assert.ok(Number.isInteger(verdict.retryAfterSeconds) && verdict.retryAfterSeconds >= 1);
          assert.ok(Math.abs(verdict.retryAfterSeconds - untilReset) <= 1.5);
        }
      }));

    test('a new window starts at zero, also after rejected calls', () =>
      withLimiters(SHORT, async (limiters, bucket) => {
        const [limiter] = limiters;
        assert.ok(limiter);
        const before = [await limiter.take(bucket, 1), await limiter.take(bucket, 1)] as const;
        assert.deepEqual([before[0].allowed, before[1].allowed], [true, false]);
        await under.nextWindow(SHORT);
        const after = await limiter.take(bucket, 1);
        assert.equal(after.allowed, true);
        assert.ok(after.resetAtSeconds > before[0].resetAtSeconds);
        assert.equal(after.resetAtSeconds % SHORT, 0);
      }));

    test('buckets are independent of each other', () =>
      withLimiters(LONG, async ([limiter], bucket) => {
        assert.ok(limiter);
        await limiter.take(`${bucket}:a`, 1);
        assert.equal((await limiter.take(`${bucket}:a`, 1)).allowed, false);
        assert.equal((await limiter.take(`${bucket}:b`, 1)).allowed, true);
      }));

    test('a higher limit applies at once', () =>
      withLimiters(LONG, async ([limiter], bucket) => {
        assert.ok(limiter);
        for (let call = 0; call < 4; call++) await limiter.take(bucket, 2);
        assert.equal((await limiter.take(bucket, 2)).allowed, false);
        const raised = await limiter.take(bucket, 60);
        assert.equal(raised.allowed, true);
        assert.equal(raised.limit, 60);
      }));

    test('a look counts nothing, and sees the calls of all limiters', () =>
      withLimiters(LONG, async (limiters, bucket) => {
        const look = (index: number) => limiterAt(limiters, index).look(bucket, 2);
        for (const [allowed, remaining] of [
          [true, 2],
          [true, 1],
          [false, 0],
        ] as const) {
          for (const index of [0, 1, 0]) {
            const verdict = await look(index);
            assert.deepEqual([verdict.allowed, verdict.remaining], [allowed, remaining]);
            assert.equal(Math.min(verdict.count, 2), 2 - remaining);
          }
          await limiterAt(limiters, remaining).take(bucket, 2);
        }
      }));

    test('a name that one limiter remembers is known to all until it expires', () =>
      withLimiters(SHORT, async (limiters, name) => {
        assert.equal(await limiterAt(limiters, 1).remembers(name), false);
        await limiterAt(limiters, 0).remember(name, SHORT);
        assert.equal(await limiterAt(limiters, 1).remembers(name), true);
        await under.nextWindow(SHORT);
        await under.nextWindow(SHORT);
        assert.equal(await limiterAt(limiters, 1).remembers(name), false);
      }));

    test('passes its check', () =>
      withLimiters(LONG, async ([limiter]) => {
        await limiter?.check();
      }));
  });
}

function limiterAt(limiters: readonly RateLimiter[], index: number): RateLimiter {
  const limiter = limiters[index % limiters.length];
  assert.ok(limiter);
  return limiter;
}
