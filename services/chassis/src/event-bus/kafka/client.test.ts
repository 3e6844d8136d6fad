import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { type TestContext, test } from 'node:test';
import type { GroupMember, RequestQueue } from './client.ts';
import './client.ts';

type Answer = { readonly correlationId: number; readonly payload: null; readonly size: number };

interface LibraryQueue extends RequestQueue {
  push(request: object): void;
  fulfillRequest(answer: Answer): void;
  maybeThrottle(forMs: number): void;
  destroy(): void;
}

type NewQueue = new (options: object) => LibraryQueue;

interface LibraryMember extends GroupMember {
  memberId: string | null;
  coordinator: { heartbeat(): Promise<void> };
}

type NewMember = new (options: object) => LibraryMember;

const load = createRequire(import.meta.url);
const Queue = load('kafkajs/src/network/requestQueue/index.js') as NewQueue;
const Member = load('kafkajs/src/consumer/consumerGroup.js') as NewMember;

/** A connection's queue, as the library creates it, and the requests that it has sent. */
function openQueue(maxInFlightRequests: number) {
  const sent: number[] = [];
  const queue = new Queue({
    maxInFlightRequests,
    requestTimeout: 30_000,
    enforceRequestTimeout: false,
    clientId: 'test',
    broker: 'broker:9092',
    logger: { debug() {}, warn() {} },
  });
  return {
    sent,
    throttle: (forMs: number) => queue.maybeThrottle(forMs),
    end: () => queue.destroy(),
    isLooking: () => queue.throttleCheckTimeoutId !== null,
    answer: (correlationId: number) => queue.fulfillRequest({ correlationId, payload: null, size: 0 }),
    push: (correlationId: number) =>
      queue.push({
        entry: { correlationId, resolve() {}, reject() {} },
        expectResponse: true,
        sendRequest: () => sent.push(correlationId),
      }),
  };
}

test('a queue without waiting requests sets no timer', () => {
  const { push, answer, isLooking, sent } = openQueue(1);
  push(1);
  assert.equal(isLooking(), false);
  answer(1);
  assert.deepEqual([sent, isLooking()], [[1], false]);
});

test('a request that waits for room is sent when a response makes room', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const { push, answer, sent, isLooking } = openQueue(1);
  for (const id of [1, 2, 3]) push(id);
  assert.deepEqual([sent, isLooking()], [[1], true]);
  answer(1);
  assert.deepEqual(sent, [1, 2]);
  answer(2);
  answer(3);
  t.mock.timers.tick(100);
  assert.deepEqual([sent, isLooking()], [[1, 2, 3], false]);
});

test('a throttled request is sent when the throttling ends, without any other trigger', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const { push, throttle, sent, isLooking } = openQueue(5);
  throttle(500);
  push(1);
  t.mock.timers.tick(499);
  assert.deepEqual(sent, []);
  t.mock.timers.tick(1);
  assert.deepEqual([sent, isLooking()], [[1], false]);
});

test('a queue that has ended sends nothing more', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const { push, throttle, end, sent } = openQueue(5);
  throttle(500);
  push(1);
  end();
  t.mock.timers.tick(1_000);
  assert.deepEqual(sent, []);
});

/** A member of a group, as the library creates it, with its own clock and a coordinator that can refuse. */
function joinGroup(t: TestContext) {
  let nowMs = 5_000;
  let sent = 0;
  let refusal: Error | undefined;
  t.mock.method(performance, 'now', () => nowMs);
  const member = new Member({
    logger: { namespace: () => ({}) },
    instrumentationEmitter: { emit() {} },
  });
  member.memberId = 'member';
  member.coordinator = {
    async heartbeat() {
      sent += 1;
      if (refusal !== undefined) throw refusal;
    },
  };
  return {
    sent: () => sent,
    beat: () => member.heartbeat({ interval: 1_000 }),
    pass(ms: number) {
      nowMs += ms;
    },
    refuse(error: Error | undefined) {
      refusal = error;
    },
  };
}

test('heartbeats are sent once per interval, however often they could be sent', async (t) => {
  const { beat, pass, sent } = joinGroup(t);
  await Promise.all([beat(), beat(), beat()]);
  for (const ms of [0, 500, 499]) {
    pass(ms);
    await beat();
  }
  assert.equal(sent(), 1);
  pass(1);
  await beat();
  await beat();
  assert.equal(sent(), 2);
});

test('a clock that is set back or ahead does not affect heartbeats', async (t) => {
  const { beat, pass, sent } = joinGroup(t);
  const now = Date.now;
  let offsetMs = 0;
  t.mock.method(Date, 'now', () => now() + offsetMs);
  for (offsetMs of [0, -3_600_000, 3_600_000]) {
    await beat();
    await beat();
    pass(1_000);
  }
  assert.equal(sent(), 3);
});

test('a heartbeat that failed is reported, and sent again at the next opportunity', async (t) => {
  const { beat, sent, refuse } = joinGroup(t);
  const rebalance = new Error('the group is rebalancing');
  refuse(rebalance);
  await assert.rejects(beat(), rebalance);
  await assert.rejects(beat(), rebalance);
  refuse(undefined);
  await beat();
  await beat();
  assert.equal(sent(), 3);
});
