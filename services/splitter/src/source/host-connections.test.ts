import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHostConnections } from './host-connections.ts';

const HOST = 'example.com:443';
const never = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('connections are bounded by account and host, and those that wait keep their order', async () => {
  const connections = createHostConnections(8);
  const enter = connections.of('acc_1');
  const held = await Promise.all(Array.from({ length: 8 }, () => enter(HOST, never)));
  const order: number[] = [];
  const waiting = [9, 10, 11].map(async (number) => {
    const place = await enter(HOST, never);
    order.push(number);
    return place;
  });
  await Promise.all([
    enter('example.com:8443', never),
    enter('example.org:443', never),
    connections.of('acc_2')(HOST, never),
  ]);
  await turn();
  assert.deepEqual(order, []);
  held[0]?.[Symbol.dispose]();
  await turn();
  assert.deepEqual(order, [9]);
  for (const place of held.slice(1, 3)) place[Symbol.dispose]();
  await Promise.all(waiting);
  assert.deepEqual(order, [9, 10, 11]);
});

test('what gives its wait up leaves the line to the others', async () => {
  const enter = createHostConnections(1).of('acc_1');
  const held = await enter(HOST, never);
  const stop = new AbortController();
  const reason = new Error('canceled');
  const givenUp = enter(HOST, stop.signal);
  const next = enter(HOST, never);
  stop.abort(reason);
  await assert.rejects(givenUp, reason);
  held[Symbol.dispose]();
  (await next)[Symbol.dispose]();
  (await enter(HOST, never))[Symbol.dispose]();
});
