import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { createExpiringCache, type ExpiringCache } from './expiring-cache.ts';

const TTL_MS = 900;

describe('the expiring cache', () => {
  let nowMs: number;
  let loads: { readonly key: string; readonly settle: PromiseWithResolvers<string> }[];
  let cache: ExpiringCache<string>;
  beforeEach(() => {
    nowMs = 1_000_000;
    loads = [];
    cache = createExpiringCache<string>({
      ttlMs: TTL_MS,
      maxEntries: 2,
      clock: () => new Date(nowMs),
      load: (key) => {
        const settle = Promise.withResolvers<string>();
        loads.push({ key, settle });
        return settle.promise;
      },
    });
  });
  const answer = (index: number, value: string) => loads[index]?.settle.resolve(value);

  it('holds an answer from the moment it was asked for, however late it came', async () => {
    const slow = cache.get('a');
    nowMs += TTL_MS - 1;
    const together = cache.get('a');
    answer(0, 'first');
    assert.deepEqual(await Promise.all([slow, together, cache.get('a')]), ['first', 'first', 'first']);
    assert.equal(loads.length, 1);
    nowMs += 1;
    const next = cache.get('a');
    answer(1, 'second');
    assert.equal(await next, 'second');
  });

  it('does not wait for one that was asked for too long ago, and is not set back by it', async () => {
    const slow = cache.get('a');
    nowMs += TTL_MS;
    const next = cache.get('a');
    answer(1, 'new');
    answer(0, 'old');
    assert.deepEqual([await slow, await next, await cache.get('a')], ['old', 'new', 'new']);
    loads[0]?.settle.reject(new Error('late'));
  });

  it('keeps no failure', async () => {
    const failing = cache.get('a');
    loads[0]?.settle.reject(new Error('away'));
    await assert.rejects(failing, /away/);
    const next = cache.get('a');
    answer(1, 'there');
    assert.equal(await next, 'there');
  });

  it('trusts nothing once the clock has been put back', async () => {
    const first = cache.get('a');
    answer(0, 'first');
    await first;
    nowMs -= 60_000;
    const next = cache.get('a');
    answer(1, 'second');
    assert.equal(await next, 'second');
  });

  it('forgets what it is told to, and what is being loaded', async () => {
    const [a, b] = [cache.get('a'), cache.get('b')];
    answer(0, 'kept');
    await a;
    cache.forget((value) => value === 'gone');
    answer(1, 'old');
    assert.equal(await b, 'old', 'whoever has asked is answered');
    assert.equal(await cache.get('a'), 'kept');
    const again = cache.get('b');
    answer(2, 'new');
    assert.equal(await again, 'new');
  });

  it('lets the oldest go when it is full', async () => {
    for (const [index, key] of ['a', 'b', 'c'].entries()) {
      const value = cache.get(key);
      answer(index, key);
      await value;
    }
    await cache.get('b');
    assert.equal(loads.length, 3);
    void cache.get('a');
    assert.equal(loads.length, 4);
  });
});
