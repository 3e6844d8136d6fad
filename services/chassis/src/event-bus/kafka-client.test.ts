import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import type { RequestQueue } from './kafka-client.ts';
import './kafka-client.ts';

type Answer = { readonly correlationId: number; readonly payload: null; readonly size: number };

interface LibraryQueue extends RequestQueue {
  push(request: object): void;
  fulfillRequest(answer: Answer): void;
  maybeThrottle(forMs: number): void;
  destroy(): void;
}

type NewQueue = new (options: object) => LibraryQueue;

const Queue = createRequire(import.meta.url)('kafkajs/src/network/requestQueue/index.js') as NewQueue;

/** A connection's queue, as the library makes it, and which requests it has sent. */
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

test('a queue in which nothing waits is not looked at', () => {
  const { push, answer, isLooking, sent } = openQueue(1);
  push(1);
  assert.equal(isLooking(), false);
  answer(1);
  assert.deepEqual([sent, isLooking()], [[1], false]);
});

test('what waits for room is sent with the answer that makes it', (t) => {
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

test('what a broker has throttled is sent when that is over, without anything else to happen', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const { push, throttle, sent, isLooking } = openQueue(5);
  throttle(500);
  push(1);
  t.mock.timers.tick(499);
  assert.deepEqual(sent, []);
  t.mock.timers.tick(1);
  assert.deepEqual([sent, isLooking()], [[1], false]);
});

test('a queue that ends is looked at no more', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  const { push, throttle, end, sent } = openQueue(5);
  throttle(500);
  push(1);
  end();
  t.mock.timers.tick(1_000);
  assert.deepEqual(sent, []);
});
