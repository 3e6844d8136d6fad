/** Tests what a consumer does when the client library gives up; the library's consumer is replaced. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import kafkajs, { type Kafka } from 'kafkajs';
import { silentLogger } from '../../process/log.ts';
import { until } from '../../testing/until.ts';
import { noCoordinator } from '../no-coordinator.fixture.ts';
import { startKafkaConsumer } from './consumer.ts';

function createLibrary() {
  const calls: string[] = [];
  const listeners = new Map<string, (event: object) => void>();
  const consumer = {
    events: { GROUP_JOIN: 'join', HEARTBEAT: 'heartbeat', FETCH: 'fetch', CRASH: 'crash' },
    // The last listener registered for an event counts.
    on: (name: string, listener: (event: object) => void) => void listeners.set(name, listener),
    connect: async () => void calls.push('connect'),
    subscribe: async () => void calls.push('subscribe'),
    run: async () => void calls.push('run'),
    disconnect: async () => void calls.push('disconnect'),
  };
  return {
    calls,
    kafka: { consumer: () => consumer } as unknown as Kafka,
    giveUp: (error: Error) => listeners.get('crash')?.({ payload: { error, restart: false } }),
  };
}

const start = (kafka: Kafka, onCrash: (error: Error) => void) =>
  startKafkaConsumer({
    kafka,
    group: 'group',
    topics: ['topic'],
    handler: async () => undefined,
    onCrash,
    publish: async () => undefined,
    checkBrokers: async () => undefined,
    declareTopics: async () => undefined,
    log: silentLogger(),
    redeliveryDelayMs: () => 0,
    sessionTimeoutMs: 10_000,
  });

test('a missing coordinator does not end the process: the consumer is restarted', async () => {
  const { calls, kafka, giveUp } = createLibrary();
  const subscription = await start(kafka, assert.fail);
  giveUp(noCoordinator());
  await until(() => calls.length === 5, 'it runs again');
  await subscription[Symbol.asyncDispose]();
  assert.deepEqual(calls, ['connect', 'subscribe', 'run', 'connect', 'run', 'disconnect']);
});

test('a coordinator that is missing for more than a minute is a fatal error', async (t) => {
  const { kafka, giveUp } = createLibrary();
  const crashes: Error[] = [];
  const subscription = await start(kafka, (error) => crashes.push(error));
  const none = noCoordinator();
  giveUp(none);
  const now = performance.now();
  t.mock.method(performance, 'now', () => now + 61_000);
  giveUp(none);
  assert.deepEqual(crashes, [none]);
  await subscription[Symbol.asyncDispose]();
});

test('a permanent error is fatal at once, and a stopped consumer is not restarted', async () => {
  const { calls, kafka, giveUp } = createLibrary();
  const crashes: Error[] = [];
  const subscription = await start(kafka, (error) => crashes.push(error));
  const refusal = new kafkajs.KafkaJSNonRetriableError('not authorized');
  giveUp(refusal);
  assert.deepEqual(crashes, [refusal]);
  giveUp(noCoordinator());
  await subscription[Symbol.asyncDispose]();
  assert.deepEqual([crashes.length, calls], [1, ['connect', 'subscribe', 'run', 'disconnect']]);
});
