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
      isRefusal: (error) => error instanceof Error && error.message === 'revoked',
      load: (key) => {
        const settle = Promise.withResolvers<string>();
        loads.push({ key, settle });
        return settle.promise;
      },
    });
  });
  const answer = (index: number, value: string) => loads[index]?.settle.resolve(value);

  it('keeps a response for its time from the moment of the request, even if it arrived late', async () => {
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

  it('does not wait for a load that started too long ago, and ignores its late result', async () => {
    const slow = cache.get('a');
    nowMs += TTL_MS;
    const next = cache.get('a');
    answer(1, 'new');
    answer(0, 'old');
    assert.deepEqual([await slow, await next, await cache.get('a')], ['old', 'new', 'new']);
    loads[0]?.settle.reject(new Error('late'));
  });

  /** Loads a value and lets it age, so that the next call renews it. */
  const loadedLongAgo = async (key: string, value: string) => {
    const asked = cache.get(key);
    answer(loads.length - 1, value);
    await asked;
    nowMs += (TTL_MS * 2) / 3;
  };

  it('renews a key in steady use before it expires, and no caller waits', async () => {
    await loadedLongAgo('a', 'first');
    assert.deepEqual(await Promise.all([cache.get('a'), cache.get('a')]), ['first', 'first']);
    assert.equal(loads.length, 2);
    answer(1, 'second');
    await loads[1]?.settle.promise;
    assert.equal(await cache.get('a'), 'second');
    nowMs += (TTL_MS * 2) / 3 - 1;
    assert.equal(await cache.get('a'), 'second', 'its time runs from the start of the load');
    assert.equal(loads.length, 2);
  });

  it('renews no entry that is young or unused', async () => {
    await loadedLongAgo('a', 'first');
    nowMs -= 1;
    await cache.get('a');
    nowMs += TTL_MS * 10;
    assert.equal(loads.length, 1);
  });

  it('waits for a renewal that has not finished by the time of expiry', async () => {
    await loadedLongAgo('a', 'first');
    await cache.get('a');
    nowMs += TTL_MS / 3;
    const waiting = cache.get('a');
    assert.equal(loads.length, 2);
    answer(1, 'second');
    assert.deepEqual([await waiting, await cache.get('a')], ['second', 'second']);
    assert.equal(loads.length, 2);
  });

  it('does not wait for a renewal that started too long ago, and ignores its late result', async () => {
    await loadedLongAgo('a', 'first');
    await cache.get('a');
    nowMs += TTL_MS;
    const next = cache.get('a');
    answer(2, 'third');
    answer(1, 'second');
    assert.deepEqual([await next, await cache.get('a')], ['third', 'third']);
  });

  const reject = async (index: number, reason: string) => {
    loads[index]?.settle.reject(new Error(reason));
    await assert.rejects(async () => loads[index]?.settle.promise);
  };

  it('drops an entry whose renewal is rejected', async () => {
    await loadedLongAgo('a', 'first');
    await cache.get('a');
    await reject(1, 'revoked');
    const next = cache.get('a');
    loads[2]?.settle.reject(new Error('revoked'));
    await assert.rejects(next, /revoked/);
  });

  it('keeps an entry until its expiry if the renewal fails in another way, and tries again', async () => {
    await loadedLongAgo('a', 'first');
    await cache.get('a');
    await reject(1, 'away');
    assert.equal(await cache.get('a'), 'first');
    assert.equal(loads.length, 3);
    nowMs += TTL_MS / 3;
    const waiting = cache.get('a');
    await reject(2, 'away');
    await assert.rejects(waiting, /away/);
    const next = cache.get('a');
    answer(3, 'back');
    assert.equal(await next, 'back');
  });

  it('forgets a renewal in flight, and keeps the entry that it was to renew', async () => {
    await loadedLongAgo('a', 'kept');
    await cache.get('a');
    cache.forget((value) => value === 'gone');
    answer(1, 'of before');
    await loads[1]?.settle.promise;
    assert.equal(await cache.get('a'), 'kept');
    answer(2, 'of now');
    await loads[2]?.settle.promise;
    assert.equal(await cache.get('a'), 'of now');
  });

  it('caches no failure', async () => {
    const failing = cache.get('a');
    loads[0]?.settle.reject(new Error('away'));
    await assert.rejects(failing, /away/);
    const next = cache.get('a');
    answer(1, 'there');
    assert.equal(await next, 'there');
  });

  it('uses no entry once the clock has been set back', async () => {
    const first = cache.get('a');
    answer(0, 'first');
    await first;
    nowMs -= 60_000;
    const next = cache.get('a');
    answer(1, 'second');
    assert.equal(await next, 'second');
  });

  it('forgets matching entries, and pending loads', async () => {
    const [a, b] = [cache.get('a'), cache.get('b')];
    answer(0, 'kept');
    await a;
    cache.forget((value) => value === 'gone');
    answer(1, 'old');
    assert.equal(await b, 'old', 'the waiting caller gets its value');
    assert.equal(await cache.get('a'), 'kept');
    const again = cache.get('b');
    answer(2, 'new');
    assert.equal(await again, 'new');
  });

  it('forgets a stale entry together with its renewal', async () => {
    await loadedLongAgo('a', 'gone');
    await cache.get('a');
    cache.forget((value) => value === 'gone');
    answer(1, 'of before');
    await loads[1]?.settle.promise;
    const next = cache.get('a');
    answer(2, 'of now');
    assert.equal(await next, 'of now');
  });

  it('does not restore an entry that was removed during its renewal', async () => {
    await loadedLongAgo('a', 'first');
    await cache.get('a');
    for (const [index, key] of ['b', 'c'].entries()) {
      const value = cache.get(key);
      answer(2 + index, key);
      await value;
    }
    answer(1, 'second');
    await loads[1]?.settle.promise;
    for (const key of ['b', 'c']) assert.equal(await cache.get(key), key);
    assert.equal(loads.length, 4);
  });

  it('removes the oldest entry when it is full', async () => {
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
