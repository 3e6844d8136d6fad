import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createKeyedSemaphore } from './keyed-semaphore.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('each key has its own limit, and waiters keep their order', async () => {
  const places = createKeyedSemaphore(8);
  const held = await Promise.all(Array.from({ length: 8 }, () => places.acquire('acc_1 example.com:443')));
  const order: number[] = [];
  const waiting = [9, 10, 11].map(async (number) => {
    const place = await places.acquire('acc_1 example.com:443');
    order.push(number);
    return place;
  });
  await Promise.all(
    ['acc_1 example.com:8443', 'acc_1 example.org:443', 'acc_2 example.com:443'].map((key) =>
      places.acquire(key),
    ),
  );
  await turn();
  assert.deepEqual(order, []);
  held[0]?.[Symbol.dispose]();
  await turn();
  assert.deepEqual(order, [9]);
  for (const place of held.slice(1, 3)) place[Symbol.dispose]();
  await Promise.all(waiting);
  assert.deepEqual(order, [9, 10, 11]);
});

test('a waiter that gives up is skipped', async () => {
  const places = createKeyedSemaphore(1);
  const held = await places.acquire('key');
  const stop = new AbortController();
  const reason = new Error('canceled');
  const givenUp = places.acquire('key', stop.signal);
  const next = places.acquire('key');
  stop.abort(reason);
  await assert.rejects(givenUp, reason);
  held[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  (await places.acquire('key'))[Symbol.dispose]();
});
