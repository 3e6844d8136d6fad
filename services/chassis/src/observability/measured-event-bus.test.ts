import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IncomingMessage, MonitoredEventBus, SubscribeOptions } from '../event-bus/event-bus.ts';
import { silentLogger } from '../process/log.ts';
import { failTest } from '../testing/service-context.ts';
import { measureEventBus } from './measured-event-bus.ts';
import { createPrometheus } from './prometheus.ts';
import { OUTBOX_METRICS, SERVICE_METRICS } from './shared-metrics.ts';

const TOPIC = 'audiosplit.splits';
const message: IncomingMessage = {
  topic: TOPIC,
  key: 'a',
  value: new Uint8Array(),
  headers: {},
  delivery: 1,
};

/** A bus that records its subscribers, and refuses to publish on request. */
function createBus() {
  const subscribed: SubscribeOptions[] = [];
  const state = { isAway: false };
  const bus: MonitoredEventBus = {
    async publish() {
      if (state.isAway) throw new Error('the bus is away');
    },
    async subscribe(options) {
      subscribed.push(options);
      return { pause() {}, resume() {}, async [Symbol.asyncDispose]() {} };
    },
    lag: async () => [
      { group: 'webhooks', topic: TOPIC, partition: 0, messages: 2 },
      { group: 'webhooks', topic: TOPIC, partition: 1, messages: 5 },
    ],
    deadLetters: async () => [{ group: 'webhooks', topic: TOPIC, letters: 3 }],
    async check() {},
    async [Symbol.asyncDispose]() {},
  };
  return { bus, state, subscribed };
}

const EVENT_METRICS = { ...SERVICE_METRICS, ...OUTBOX_METRICS };

test('the bus is unchanged if nothing is measured', () => {
  const { bus } = createBus();
  assert.equal(measureEventBus(bus), bus);
});

test('deliveries are counted by their outcome', async () => {
  using prometheus = createPrometheus({
    processes: ['webhooks'],
    metrics: EVENT_METRICS,
    log: silentLogger(),
  });
  const { bus, subscribed } = createBus();
  await using measured = measureEventBus(bus);
  let failure: Error | undefined;
  await measured.subscribe({
    group: 'webhooks',
    topics: [TOPIC],
    maxDeliveries: 3,
    onCrash: failTest,
    async handler() {
      if (failure !== undefined) throw failure;
    },
  });
  const deliver = (delivery: number, signal = new AbortController().signal) =>
    subscribed[0]?.handler({ ...message, delivery }, signal);
  await deliver(1);
  failure = new Error('the handler breaks');
  await assert.rejects(async () => deliver(1), failure);
  await assert.rejects(async () => deliver(2), failure);
  await assert.rejects(async () => deliver(3), failure);
  await assert.rejects(async () => deliver(3, AbortSignal.abort()), failure);
  const page = await prometheus.scrape();
  for (const [outcome, times] of Object.entries({
    handled: 1,
    failed: 2,
    dead_lettered: 1,
    handed_back: 1,
  })) {
    const labels = `group="webhooks",topic="${TOPIC}",outcome="${outcome}"`;
    assert.ok(page.includes(`audiosplit_event_bus_consumed_total{${labels}} ${times}\n`), outcome);
  }
  const all = `audiosplit_event_bus_handler_duration_seconds_count{group="webhooks",topic="${TOPIC}"} 5\n`;
  assert.ok(page.includes(all));
});

test('published messages and failed publications are counted by topic', async () => {
  using prometheus = createPrometheus({ processes: ['jobs'], metrics: EVENT_METRICS, log: silentLogger() });
  const { bus, state } = createBus();
  await using measured = measureEventBus(bus);
  await measured.publish([message, message]);
  state.isAway = true;
  await assert.rejects(measured.publish([message]), /the bus is away/);
  const page = await prometheus.scrape();
  const series = `audiosplit_event_bus_published_total{topic="${TOPIC}",outcome=`;
  assert.ok(page.includes(`${series}"published"} 2\n`));
  assert.ok(page.includes(`${series}"failed"} 1\n`));
});

test('the lag of a group is the sum of its partitions, is shown with its dead letters, and ends with the bus', async () => {
  using prometheus = createPrometheus({
    processes: ['webhooks'],
    metrics: EVENT_METRICS,
    log: silentLogger(),
  });
  const { bus } = createBus();
  {
    await using _ = measureEventBus(bus);
    const page = await prometheus.scrape();
    const labels = `{group="webhooks",topic="${TOPIC}"}`;
    assert.ok(page.includes(`audiosplit_event_bus_lag_messages${labels} 7\n`));
    assert.ok(page.includes(`audiosplit_event_bus_dead_letter_messages${labels} 3\n`));
  }
  assert.doesNotMatch(await prometheus.scrape(), /audiosplit_event_bus_(lag|dead_letter)_messages\{/);
});
