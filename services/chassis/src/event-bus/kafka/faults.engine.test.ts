/** The bus on Kafka while brokers, connections and responses fail. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { AssignerProtocol } from 'kafkajs';
import { silentLogger } from '../../process/log.ts';
import { until } from '../../testing/until.ts';
import { consumeTexts } from '../consumed-texts.fixture.ts';
import { messageOf } from '../event-bus.contract.ts';
import { createFaultyNetwork } from '../faulty-network.fixture.ts';
import { Kafka, logLevel } from './client.ts';
import { type KafkaEventBusOptions, openKafkaEventBus } from './kafka.ts';

const brokers = process.env.TEST_KAFKA_BROKERS?.split(',');
if (brokers === undefined)
  throw new Error('TEST_KAFKA_BROKERS is not set: give host:port of brokers for tests');

/** Retries are exhausted within half a second. */
const IMPATIENT = { initialRetryTime: 20, maxRetryTime: 100, retries: 3 };

function newTopic() {
  return { name: `test.${randomBytes(6).toString('hex')}`, partitions: 2, retentionMs: 3_600_000 };
}

const open = (options: Pick<KafkaEventBusOptions, 'topics'> & Partial<KafkaEventBusOptions>) =>
  openKafkaEventBus({ brokers, clientId: 'event-bus-test', log: silentLogger(), ...options });

test('a start waits for brokers that appear after the retries of the client library have ended', async () => {
  const network = createFaultyNetwork();
  const connection = { socketFactory: network.socketFactory, retry: IMPATIENT };
  const topic = newTopic();
  network.cut();
  const opening = open({ topics: [topic], connection });
  await until(() => network.attempts() > 2 * (IMPATIENT.retries + 1), 'attempts beyond the retries');
  network.heal();
  await using bus = await opening;
  network.cut();
  const attemptsBefore = network.attempts();
  const consuming = consumeTexts(bus, topic.name);
  await until(() => network.attempts() - attemptsBefore > 2 * (IMPATIENT.retries + 1), 'more attempts');
  network.heal();
  const { handled } = await consuming;
  await bus.publish([messageOf(topic.name, 'key', 'at last')]);
  await until(() => handled.length === 1, 'the message is handled');
});

for (const [fault, rounds] of [
  ['cut', 5],
  ['freeze', 1],
] as const) {
  test(`a consumer continues after an outage longer than its retries (${fault}), and is not considered dead`, async () => {
    const network = createFaultyNetwork();
    const topic = newTopic();
    await using publisher = await open({ topics: [topic] });
    await using bus = await open({
      topics: [topic],
      connection: { socketFactory: network.socketFactory, retry: IMPATIENT, requestTimeout: 2_000 },
    });
    const { handled } = await consumeTexts(bus, topic.name);
    await publisher.publish([messageOf(topic.name, 'key', 'before')]);
    await until(() => handled.includes('before'), 'the first message is handled');
    const attemptsBefore = network.attempts();
    network[fault]();
    await publisher.publish([messageOf(topic.name, 'key', 'meanwhile')]);
    await until(
      () => network.attempts() - attemptsBefore > rounds * (IMPATIENT.retries + 1),
      'attempts beyond the retries',
      60_000,
    );
    assert.equal(handled.includes('meanwhile'), false);
    network.heal();
    await until(() => handled.includes('meanwhile'), 'the message of the outage is handled', 60_000);
  });
}

test('topics that the brokers have lost are recreated, and messages published meanwhile are delivered', {
  timeout: 90_000,
}, async () => {
  const topic = newTopic();
  await using bus = await open({ topics: [topic] });
  const { handled } = await consumeTexts(bus, topic.name);
  await bus.publish([messageOf(topic.name, 'key', 'before')]);
  await until(() => handled.length === 1, 'the first message is handled');
  // As gauges do: a client remembers each topic whose offsets it has read.
  await Promise.all([bus.lag(), bus.deadLetters()]);
  const admin = new Kafka({ brokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    const ofTest = async () => (await admin.listTopics()).filter((name) => name.includes(topic.name));
    const declared = (await ofTest()).sort();
    assert.ok(declared.length > 1, 'there are dead letters and replays as well');
    await admin.deleteTopics({ topics: declared });
    const publishes = async () =>
      bus.publish([messageOf(topic.name, 'key', 'after')]).then(
        () => true,
        () => false,
      );
    await until(publishes, 'the topic is there again', 60_000);
    await until(() => handled.includes('after'), 'the message is handled', 30_000);
    // The first message may have reached a topic just before it was deleted.
    const areThere = async () => (await publishes()) && isDeepStrictEqual((await ofTest()).sort(), declared);
    await until(areThere, 'all topics are there again', 60_000);
  } finally {
    await admin.disconnect();
  }
});

test('a member whose clock is set back does not delay the others', { timeout: 40_000 }, async (t) => {
  const topic = newTopic();
  const group = `${topic.name}.group`;
  await using publisher = await open({ topics: [topic] });
  await using bus = await open({ topics: [topic] });
  const handled: string[] = [];
  const subscribeTo = (each: typeof bus, name: string) =>
    each.subscribe({
      group,
      topics: [topic.name],
      onCrash: assert.fail,
      handler: async () => void handled.push(name),
    });
  await subscribeTo(bus, 'first');
  const now = Date.now;
  t.mock.method(Date, 'now', () => now() - 3_600_000);
  // Its commits keep the first process a member.
  const publishing = setInterval(() => {
    publisher.publish(['a', 'b', 'c', 'd'].map((key) => messageOf(topic.name, key, key))).catch(assert.fail);
  }, 500);
  try {
    await until(() => handled.includes('first'), 'the first one handles');
    await using other = await open({ topics: [topic] });
    await subscribeTo(other, 'second');
    await until(() => handled.includes('second'), 'the second one has its partition', 20_000);
  } finally {
    clearInterval(publishing);
  }
});

test('a message that is published again after a lost response is written once', async () => {
  const network = createFaultyNetwork();
  const topic = { ...newTopic(), partitions: 1 };
  await using bus = await open({ topics: [topic], connection: { socketFactory: network.socketFactory } });
  const { handled } = await consumeTexts(bus, topic.name);
  const texts = Array.from({ length: 8 }, (_, index) => String(index));
  for (const text of texts) {
    network.loseAnswers(Number(text) % 2);
    await bus.publish([messageOf(topic.name, 'key', text)]);
    assert.equal(network.answersToLose(), 0);
  }
  await bus.publish([messageOf(topic.name, 'key', 'end')]);
  await until(() => handled.includes('end'), 'everything is handled');
  assert.deepEqual(handled, [...texts, 'end']);
});

test('a consumer that the group rejects permanently ends its process', async (t) => {
  const topic = newTopic();
  const group = `${topic.name}.group`;
  await using bus = await open({ topics: [topic] });
  const child = spawn(
    process.execPath,
    [
      ...process.execArgv,
      join(import.meta.dirname, '../crashing-consumer.fixture.ts'),
      brokers.join(),
      topic.name,
      group,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  const exited = once(child, 'exit');
  await bus.publish([messageOf(topic.name, 'consumed', '')]);
  await until(() => output.includes('consumed'), 'the process consumes');

  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  t.after(() => admin.disconnect());
  // Once its membership has expired, a member with another protocol joins the group.
  child.kill('SIGSTOP');
  await until(async () => {
    const { groups } = await admin.describeGroups([group]);
    return groups[0]?.members.length === 0;
  }, 'the stopped member is out');
  const usurper = kafka.consumer({ groupId: group, partitionAssigners: [otherProtocol] });
  await usurper.connect();
  t.after(() => usurper.disconnect());
  await usurper.subscribe({ topics: [topic.name] });
  await usurper.run({ eachMessage: async () => undefined });
  child.kill('SIGCONT');

  assert.deepEqual(await exited, [1, null], output);
  assert.match(output, /consumer: .*protocol/i);
});

const otherProtocol = () => ({
  name: 'AnotherProtocol',
  version: 1,
  protocol: ({ topics }: { topics: string[] }) => ({
    name: 'AnotherProtocol',
    metadata: AssignerProtocol.MemberMetadata.encode({ version: 1, topics, userData: Buffer.alloc(0) }),
  }),
  assign: async ({ members }: { members: { memberId: string }[] }) =>
    members.map(({ memberId }) => ({
      memberId,
      memberAssignment: AssignerProtocol.MemberAssignment.encode({
        version: 1,
        assignment: {},
        userData: Buffer.alloc(0),
      }),
    })),
});
