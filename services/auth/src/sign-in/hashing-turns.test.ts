import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { UnavailableError } from '@audiosplit/chassis/errors';
import { createHashingTurns } from './hashing-turns.ts';

test('a caller that sends many passwords delays itself, and another caller by one of them', async () => {
  const turns = createHashingTurns(1);
  const order: string[] = [];
  const take = (clientIp: string, name: string) =>
    turns.take(clientIp, async () => {
      assert.equal(turns.taken(), 1);
      await setImmediate();
      order.push(name);
    });
  const greedy = ['first', 'second', 'third'].map((name, n) => take(`2001:db8:1:2::${n}`, name));
  await Promise.all([...greedy, take('203.0.113.1', 'other')]);
  assert.deepEqual(order, ['first', 'other', 'second', 'third']);
  assert.equal(turns.taken(), 0);
});

test('a turn that does not come in time ends as unavailable, and leaves the queue', async ({ mock }) => {
  const late = new AbortController();
  mock.method(AbortSignal, 'timeout', () => late.signal);
  const turns = createHashingTurns(1);
  const end = Promise.withResolvers<void>();
  const long = turns.take('203.0.113.1', () => end.promise);
  const waiting = turns.take('203.0.113.2', async () => assert.fail('its turn came'));
  await setImmediate();
  late.abort();
  await assert.rejects(waiting, UnavailableError);
  end.resolve();
  await long;
  assert.equal(turns.taken(), 0);
});
