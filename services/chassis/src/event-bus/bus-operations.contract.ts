/** The promises of bus-operations.ts as tests, for every adapter. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { type BusOperations, type DeadLetter, lagByTopic } from './bus-operations.ts';
import { failureOf } from './dead-letters.ts';
import { eventually, messageOf, textOf } from './event-bus.contract.ts';
import type {
  IncomingMessage,
  MonitoredEventBus,
  OutgoingMessage,
  RedeliveryDelay,
  TopicDeclaration,
} from './event-bus.ts';

interface OperationsUnderTest {
  openBus(
    topics: readonly TopicDeclaration[],
    redeliveryDelayMs: RedeliveryDelay,
  ): Promise<MonitoredEventBus>;
  openOperations(topics: readonly TopicDeclaration[]): Promise<BusOperations>;
}

export function testBusOperationsContract(name: string, under: OperationsUnderTest): void {
  describe(`operations of the event bus on ${name}`, () => {
    test('shows dead letters, oldest first, without removing them', async () => {
      await using scene = await openScene(under);
      const beforeMs = Date.now();
      await scene.failAll(['one', 'two', 'three']);
      for (let look = 0; look < 2; look++) {
        const letters = await scene.operations.readDeadLetters(scene.queue, 2);
        assert.deepEqual(letters.map(text), ['one', 'two']);
        const [letter] = letters;
        assert.equal(letter?.message.key, 'key');
        assert.deepEqual(failureOf(letter.message), { error: 'cannot handle one', deliveries: 1 });
        assert.ok(
          letter.failedAt.getTime() >= beforeMs - 5_000 && letter.failedAt.getTime() < Date.now() + 5_000,
        );
      }
      assert.deepEqual(await scene.operations.deadLetterQueues(), [{ ...scene.queue, letters: 3 }]);
    });

    test('replays a message unchanged, once, and only to the group that failed', async () => {
      await using scene = await openScene(under);
      const original = { ...messageOf(scene.topic, 'key', 'late'), headers: { traceparent: '00-a' } };
      await scene.failAll([original]);
      const other = await scene.collect('other');
      await other.wait(1);
      const replayed = await scene.operations.replayDeadLetters(scene.queue, 10);
      assert.deepEqual(replayed.map(text), ['late']);
      const group = await scene.collect(scene.queue.group);
      await group.wait(1);
      assert.deepEqual(group.messages.map(plain), [plain({ ...original })]);
      assert.deepEqual(await scene.operations.replayDeadLetters(scene.queue, 10), []);
      const queues = await scene.operations.deadLetterQueues();
      assert.deepEqual(
        queues.filter(({ group }) => group === scene.queue.group),
        [{ ...scene.queue, letters: 0 }],
      );
      await scene.bus.publish([messageOf(scene.topic, 'key', 'fence')]);
      for (const inbox of [group, other]) {
        await inbox.wait(2);
        assert.deepEqual(inbox.messages.map(textOf), ['late', 'fence']);
      }
    });

    test('a message that fails again after a replay becomes a dead letter again', async () => {
      await using scene = await openScene(under);
      await scene.failAll(['hopeless']);
      await scene.operations.replayDeadLetters(scene.queue, 1);
      await scene.failUntil(1);
      const [letter, ...others] = await scene.operations.readDeadLetters(scene.queue, 10);
      assert.ok(letter !== undefined && others.length === 0);
      assert.equal(text(letter), 'hopeless');
      assert.deepEqual(Object.keys(letter.message.headers).sort(), [
        'dead-letter-deliveries',
        'dead-letter-error',
      ]);
    });

    test('replays and discards the oldest up to the limit', async () => {
      await using scene = await openScene(under);
      await scene.failAll(['one', 'two', 'three', 'four']);
      assert.deepEqual((await scene.operations.discardDeadLetters(scene.queue, 1)).map(text), ['one']);
      assert.deepEqual((await scene.operations.replayDeadLetters(scene.queue, 2)).map(text), [
        'two',
        'three',
      ]);
      assert.deepEqual((await scene.operations.readDeadLetters(scene.queue, 9)).map(text), ['four']);
      const group = await scene.collect(scene.queue.group);
      await group.wait(2);
      assert.deepEqual(group.messages.map(textOf), ['two', 'three']);
    });

    test('counts the dead letters of subscribed groups until they are removed', async () => {
      await using scene = await openScene(under);
      await scene.failAll(['one', 'two']);
      await scene.collect('other');
      assert.deepEqual(await scene.bus.deadLetters(), [
        { group: `${scene.queue.group}.other`, topic: scene.topic, letters: 0 },
      ]);
      await scene.collect(scene.queue.group);
      const ofQueue = async () =>
        (await scene.bus.deadLetters()).filter(({ group }) => group === scene.queue.group);
      assert.deepEqual(await ofQueue(), [{ ...scene.queue, letters: 2 }]);
      await scene.operations.discardDeadLetters(scene.queue, 1);
      assert.deepEqual(await ofQueue(), [{ ...scene.queue, letters: 1 }]);
    });

    test('reports the lag of a group, from the bus and from the operations', async () => {
      await using scene = await openScene(under);
      const group = await scene.collect(scene.queue.group);
      const lags = async () =>
        Promise.all(
          [scene.bus, scene.operations].map(async (source) =>
            lagByTopic(await source.lag()).filter(({ topic }) => topic === scene.topic),
          ),
        );
      const expected = (messages: number) => [{ group: scene.queue.group, topic: scene.topic, messages }];
      assert.deepEqual(await lags(), [expected(0), expected(0)]);
      group.pause();
      const keys = Array.from({ length: 10 }, (_, index) => `k${index}`);
      await scene.bus.publish(keys.map((key) => messageOf(scene.topic, key, key)));
      assert.deepEqual(await lags(), [expected(10), expected(10)]);
      group.resume();
      await group.wait(10);
      // A message counts as consumed shortly after its handler has resolved.
      await eventually('nothing is left', async () =>
        (await lags()).flat().every(({ messages }) => messages === 0),
      );
    });
  });
}

interface Inbox {
  readonly messages: readonly IncomingMessage[];
  wait(count: number): Promise<void>;
  pause(): void;
  resume(): void;
}

interface Scene extends AsyncDisposable {
  readonly bus: MonitoredEventBus;
  readonly operations: BusOperations;
  readonly topic: string;
  readonly queue: { readonly group: string; readonly topic: string };
  /** Publishes under one key, and lets the queue's group fail each message until all are dead letters. */
  failAll(messages: readonly (string | OutgoingMessage)[]): Promise<void>;
  /** Lets the group fail every message until there are this many dead letters. */
  failUntil(letters: number): Promise<void>;
  collect(group: string): Promise<Inbox>;
}

async function openScene(under: OperationsUnderTest): Promise<Scene> {
  const id = randomBytes(6).toString('hex');
  const topic = `test.${id}`;
  const queue = { group: `test-group.${id}`, topic };
  const topics = [{ name: topic, partitions: 3, retentionMs: 3_600_000 }];
  await using opening = new AsyncDisposableStack();
  const bus = opening.use(await under.openBus(topics, () => 20));
  const operations = opening.use(await under.openOperations(topics));
  const opened = opening.move();
  const failUntil = async (letters: number) => {
    await using _failing = await bus.subscribe({
      ...queue,
      topics: [topic],
      maxDeliveries: 1,
      onCrash: assert.fail,
      handler: async (message) => {
        throw new Error(`cannot handle ${textOf(message)}`);
      },
    });
    await eventually(`there are ${letters} dead letters`, async () => {
      const queues = await operations.deadLetterQueues();
      return queues.find(({ group }) => group === queue.group)?.letters === letters;
    });
    // The last letter's message counts as consumed shortly after the letter exists.
    await eventually('the group is done', async () =>
      (await bus.lag()).every(({ messages }) => messages === 0),
    );
  };
  return {
    bus,
    operations,
    topic,
    queue,
    failUntil,
    async failAll(messages) {
      await bus.publish(
        messages.map((message) => (typeof message === 'string' ? messageOf(topic, 'key', message) : message)),
      );
      await failUntil(messages.length);
    },
    async collect(group) {
      const messages: IncomingMessage[] = [];
      const subscription = await bus.subscribe({
        group: group === queue.group ? group : `${queue.group}.${group}`,
        topics: [topic],
        onCrash: assert.fail,
        handler: async (message) => {
          messages.push(message);
        },
      });
      return {
        messages,
        pause: () => subscription.pause(),
        resume: () => subscription.resume(),
        async wait(count) {
          await eventually(`${count} messages are handled`, () => messages.length >= count);
        },
      };
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

function text({ message }: DeadLetter): string {
  return textOf(message);
}

function plain({ topic, key, value, headers }: OutgoingMessage) {
  return { topic, key, value: Buffer.from(value).toString(), headers: { ...headers } };
}
