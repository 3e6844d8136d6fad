import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin } from 'kafkajs';
import { silentLogger } from '../../process/log.ts';
import { testBusOperationsContract } from '../bus-operations.contract.ts';
import { consumeTexts } from '../consumed-texts.fixture.ts';
import { eventually, messageOf, testEventBusContract, textOf } from '../event-bus.contract.ts';
import { createFaultyNetwork } from '../faulty-network.fixture.ts';
import { Kafka, logLevel } from './client.ts';
import { type KafkaEventBusOptions, openKafkaEventBus } from './kafka.ts';
import { openKafkaOperations } from './operations.ts';

const brokers = process.env.TEST_KAFKA_BROKERS?.split(',');
if (brokers === undefined)
  throw new Error('TEST_KAFKA_BROKERS is not set: give host:port of brokers for tests');

const HOUR_MS = 3_600_000;

const open = (options: Pick<KafkaEventBusOptions, 'topics'> & Partial<KafkaEventBusOptions>) =>
  openKafkaEventBus({ brokers, clientId: 'event-bus-test', log: silentLogger(), ...options });

testEventBusContract('Kafka', {
  open: (topics, redeliveryDelayMs) => open({ topics, redeliveryDelayMs }),
});

testBusOperationsContract('Kafka', {
  openBus: (topics, redeliveryDelayMs) => open({ topics, redeliveryDelayMs }),
  openOperations: (topics) => openKafkaOperations({ brokers, topics }),
});

function newTopic(partitions: number) {
  return { name: `test.${randomBytes(6).toString('hex')}`, partitions, retentionMs: HOUR_MS };
}

async function withAdmin<T>(work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = new Kafka({ brokers: brokers ?? [], logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    return await work(admin);
  } finally {
    await admin.disconnect();
  }
}

/**
 * Lists members by the names that the broker has assigned; a member that was considered dead gets a new one.
 */
async function membersOf(group: string): Promise<string[]> {
  const { groups } = await withAdmin((admin) => admin.describeGroups([group]));
  return groups.flatMap(({ members }) => members.map(({ memberId }) => memberId));
}

const TOPIC_RESOURCE = 2;

async function describeTopic(admin: Admin, name: string) {
  const metadata = await admin.fetchTopicMetadata({ topics: [name] });
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: [{ type: TOPIC_RESOURCE, name }],
  });
  const settings = new Map(
    resources[0]?.configEntries.map(({ configName, configValue }) => [configName, configValue]),
  );
  return {
    partitions: metadata.topics[0]?.partitions.length,
    copies: metadata.topics[0]?.partitions[0]?.replicas.length,
    retentionMs: Number(settings.get('retention.ms')),
    minInSyncReplicas: Number(settings.get('min.insync.replicas')),
    compression: settings.get('compression.type'),
  };
}

test('creates topics as declared, once, with as many replicas as there are brokers', async () => {
  const topic = { ...newTopic(3), replicationFactor: 3 };
  await using both = new AsyncDisposableStack();
  for (const bus of await Promise.all([open({ topics: [topic] }), open({ topics: [topic] })])) both.use(bus);
  assert.deepEqual(await withAdmin((admin) => describeTopic(admin, topic.name)), {
    partitions: 3,
    copies: 1,
    retentionMs: HOUR_MS,
    minInSyncReplicas: 1,
    compression: 'producer',
  });
});

test('changes existing topics to their declaration, except the number of partitions if order matters', async () => {
  const [ordered, growing] = [newTopic(2), newTopic(2)];
  await using _before = await open({ topics: [ordered, growing] });
  await withAdmin((admin) =>
    admin.alterConfigs({
      validateOnly: false,
      resources: [ordered, growing].map(({ name }) => ({
        type: TOPIC_RESOURCE,
        name,
        configEntries: [
          { name: 'compression.type', value: 'zstd' },
          { name: 'retention.ms', value: '1000' },
        ],
      })),
    }),
  );
  const declared = [
    { ...ordered, partitions: 5, retentionMs: 2 * HOUR_MS },
    { ...growing, partitions: 5, retentionMs: 2 * HOUR_MS, mayGrow: true },
  ];
  await using both = new AsyncDisposableStack();
  for (const bus of await Promise.all([open({ topics: declared }), open({ topics: declared })]))
    both.use(bus);
  both.use(await open({ topics: [{ ...growing, partitions: 1, retentionMs: 2 * HOUR_MS, mayGrow: true }] }));
  await withAdmin(async (admin) => {
    const settings = { copies: 1, retentionMs: 2 * HOUR_MS, minInSyncReplicas: 1, compression: 'zstd' };
    await eventually('all brokers have heard of it', async () => {
      const found = await describeTopic(admin, growing.name);
      return found.partitions === 5;
    });
    assert.deepEqual(await describeTopic(admin, ordered.name), { partitions: 2, ...settings });
    assert.deepEqual(await describeTopic(admin, growing.name), { partitions: 5, ...settings });
  });
});

test('a backlog larger than a queue keeps its order', async () => {
  const topic = newTopic(1);
  await using bus = await open({ topics: [topic] });
  const texts = Array.from({ length: 1_200 }, (_, index) => String(index));
  await bus.publish(texts.map((text) => messageOf(topic.name, 'key', text)));
  const { handled } = await consumeTexts(bus, topic.name);
  await eventually('the backlog is handled', () => handled.length >= texts.length);
  assert.deepEqual(handled, texts);
});

test('a handler that takes longer than the session timeout keeps its message and its membership', async () => {
  const topic = newTopic(2);
  const group = `${topic.name}.group`;
  await using bus = await open({ topics: [topic], sessionTimeoutMs: 6_000 });
  const deliveries: string[] = [];
  let finished = 0;
  await bus.subscribe({
    group,
    topics: [topic.name],
    onCrash: assert.fail,
    handler: async (message, signal) => {
      deliveries.push(textOf(message));
      if (textOf(message) === 'slow') await sleep(8_000, undefined, { signal });
      finished += 1;
    },
  });
  await bus.publish(['slow', 'next'].map((text) => messageOf(topic.name, 'key', text)));
  await eventually('the slow one is in hand', () => deliveries.length === 1);
  const members = await membersOf(group);
  await eventually('both are handled', () => finished === 2);
  assert.deepEqual(deliveries, ['slow', 'next']);
  assert.deepEqual(await membersOf(group), members);
});

test('a member that is paused for longer than the session timeout stays a member, with a full queue or not', async () => {
  const topic = newTopic(2);
  const group = `${topic.name}.group`;
  await using bus = await open({ topics: [topic], sessionTimeoutMs: 6_000 });
  const { handled, subscription } = await consumeTexts(bus, topic.name);
  await bus.publish([messageOf(topic.name, 'key', 'first')]);
  await eventually('it has joined', () => handled.length === 1);
  subscription.pause();
  const members = await membersOf(group);
  const texts = Array.from({ length: 1_200 }, (_, index) => String(index));
  await bus.publish(texts.map((text) => messageOf(topic.name, 'key', text)));
  await sleep(8_000);
  assert.deepEqual([await membersOf(group), handled], [members, ['first']]);
  subscription.resume();
  await eventually('the backlog is handled', () => handled.length > texts.length);
  assert.deepEqual(handled, ['first', ...texts]);
  assert.deepEqual(await membersOf(group), members);
});

test('members of a group take over from one that leaves, and lose or repeat nothing committed', async () => {
  const topic = newTopic(4);
  await using first = await open({ topics: [topic] });
  await using second = await open({ topics: [topic] });
  const handled: string[] = [];
  const { subscription: leaving } = await consumeTexts(first, topic.name, handled);
  await consumeTexts(second, topic.name, handled);
  const publish = async (round: number) => {
    const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);
    await first.publish(keys.map((key) => messageOf(topic.name, key, `${key}:${round}`)));
  };
  await publish(1);
  await eventually('the first round is handled', () => new Set(handled).size === 40);
  await leaving[Symbol.asyncDispose]();
  await publish(2);
  await eventually('the second round is handled', () => new Set(handled).size === 80);
  const secondRound = handled.filter((text) => text.endsWith(':2'));
  assert.equal(secondRound.length, 40);
});

test('heartbeats depend on time, not on messages or partitions', async () => {
  const topic = newTopic(24);
  const network = createFaultyNetwork();
  await using publisher = await open({ topics: [topic] });
  await using bus = await open({ topics: [topic], connection: { socketFactory: network.socketFactory } });
  const { handled } = await consumeTexts(bus, topic.name);
  const publish = async (key: string) => {
    const expected = handled.length + 1;
    await publisher.publish([messageOf(topic.name, key, key)]);
    await eventually('it is handled', () => handled.length === expected);
  };
  await publish('the first, so that it has joined');
  const startedMs = performance.now();
  const before = network.sent('heartbeat');
  for (let index = 0; index < 60; index += 1) await publish(String(index));
  while (performance.now() - startedMs < 3_000) await sleep(100);
  const beats = network.sent('heartbeat') - before;
  const seconds = (performance.now() - startedMs) / 1_000;
  assert.ok(beats <= seconds + 1, `${beats} heartbeats in ${seconds} s`);
  assert.ok(beats >= Math.floor(seconds / 2), `${beats} heartbeats in ${seconds} s`);
});

test('messages consumed while a commit is in flight are committed by the next one', async () => {
  const topic = newTopic(24);
  const group = `${topic.name}.group`;
  const network = createFaultyNetwork();
  await using bus = await open({ topics: [topic], connection: { socketFactory: network.socketFactory } });
  const keys = Array.from({ length: 480 }, (_, index) => String(index));
  await bus.publish(keys.map((key) => messageOf(topic.name, key, key)));
  const { handled, subscription } = await consumeTexts(bus, topic.name);
  await eventually('all are handled', () => handled.length === keys.length);
  await subscription[Symbol.asyncDispose]();
  const commits = network.sent('commit');
  assert.ok(commits <= keys.length / 4, `${commits} commits of ${keys.length} messages`);
  const [committed, ends] = await withAdmin(async (admin) => [
    await admin.fetchOffsets({ groupId: group, topics: [topic.name] }),
    await admin.fetchTopicOffsets(topic.name),
  ]);
  const endOf = new Map(ends.map(({ partition, offset }) => [partition, offset]));
  for (const { partition, offset } of committed[0]?.partitions ?? [])
    assert.equal(offset, endOf.get(partition));
});

test('an idle bus seldom wakes the event loop', async () => {
  const topic = newTopic(2);
  await using bus = await open({ topics: [topic] });
  const { handled } = await consumeTexts(bus, topic.name);
  await bus.publish([messageOf(topic.name, 'key', 'so that all connections are open')]);
  await eventually('it is handled', () => handled.length === 1);
  const turns = () => performance.nodeTiming.uvMetricsInfo.loopCount;
  const before = turns();
  await sleep(2_000);
  // Fetches, heartbeats and checks for lost responses take some fifty turns; one timer of a millisecond takes
  // over a thousand.
  const perSecond = (turns() - before) / 2;
  assert.ok(perSecond < 200, `the event loop turns ${perSecond} times a second`);
});

test('reports that no broker can be reached', async () => {
  const topic = newTopic(1);
  await assert.rejects(
    open({
      topics: [topic],
      brokers: ['127.0.0.1:1'],
      startTimeoutMs: 0,
      connection: { retry: { retries: 1 } },
    }),
    /127\.0\.0\.1:1/,
  );
});
