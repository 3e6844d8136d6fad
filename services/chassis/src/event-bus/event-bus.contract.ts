/** The promises of event-bus.ts as tests, for every adapter. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { until } from '../testing/until.ts';
import { deadLetterTopic } from './dead-letters.ts';
import type {
  EventBus,
  IncomingMessage,
  OutgoingMessage,
  RedeliveryDelay,
  SubscribeOptions,
  Subscription,
  TopicDeclaration,
} from './event-bus.ts';

interface BusUnderTest {
  open(topics: readonly TopicDeclaration[], redeliveryDelayMs: RedeliveryDelay): Promise<EventBus>;
}

const PARTITIONS = 4;
const WAIT_MS = 20_000;

export function testEventBusContract(name: string, bus: BusUnderTest): void {
  describe(`event bus on ${name}`, () => {
    test('delivers key, value and headers', async () => {
      await using scene = await openScene(bus);
      const inbox = await scene.subscribe();
      const value = new Uint8Array([0, 255, 128, 10]);
      await scene.bus.publish([{ topic: scene.topic, key: 'klé', value, headers: { traceparent: '00-é' } }]);
      const [message] = await inbox.wait(1);
      assert.equal(message?.topic, scene.topic);
      assert.equal(message.key, 'klé');
      assert.deepEqual(new Uint8Array(message.value), value);
      assert.deepEqual({ ...message.headers }, { traceparent: '00-é' });
      assert.equal(message.delivery, 1);
    });

    test('a new group starts at the oldest message, and every group receives every message', async () => {
      await using scene = await openScene(bus);
      await scene.publish(keysOf(20));
      const first = await scene.subscribe({ group: `${scene.group}.first` });
      const second = await scene.subscribe({ group: `${scene.group}.second` });
      await scene.publish(['late']);
      for (const inbox of [first, second]) {
        const keys = (await inbox.wait(21)).map((message) => message.key);
        assert.deepEqual(new Set(keys), new Set([...keysOf(20), 'late']));
      }
    });

    test('keeps the order of a key and delivers one message of it at a time', async () => {
      await using scene = await openScene(bus);
      const running = new Set<string>();
      const inbox = await scene.subscribe({
        handler: async ({ key }) => {
          assert.ok(!running.has(key), 'two messages of one key at a time');
          running.add(key);
          await pause(Math.random() * 3);
          running.delete(key);
        },
      });
      const keys = keysOf(6);
      for (let round = 0; round < 15; round++) await scene.publish(keys, (key) => `${key}:${round}`);
      const messages = await inbox.wait(90);
      for (const key of keys) {
        assert.deepEqual(
          messages.filter((message) => message.key === key).map(textOf),
          Array.from({ length: 15 }, (_, round) => `${key}:${round}`),
        );
      }
      assert.ok(messages.every((message) => message.delivery === 1));
    });

    test('delivers no more messages at a time than the subscription allows', async () => {
      await using scene = await openScene(bus);
      let running = 0;
      const inbox = await scene.subscribe({
        maxConcurrentHandlers: 1,
        handler: async () => {
          running += 1;
          assert.equal(running, 1, 'one at a time');
          await pause(2);
          running -= 1;
        },
      });
      await scene.publish(keysOf(20));
      const messages = await inbox.wait(20);
      assert.ok(messages.every((message) => message.delivery === 1));
    });

    test('the members of a group share the messages', async () => {
      await using scene = await openScene(bus);
      const members = [await scene.subscribe(), await scene.subscribe()] as const;
      let round = 0;
      const handled = () => members[0].handled.length + members[1].handled.length;
      // A member may need a moment until it owns partitions.
      await eventually('both members have had work', async () => {
        await scene.publish(keysOf(16), (key) => `${key}:${round++}`);
        return members.every((member) => member.handled.length >= 10);
      });
      await eventually('everything is handled', () => handled() >= round);
      const texts = members.flatMap((member) => member.handled).map(textOf);
      assert.equal(new Set(texts).size, round);
    });

    test('redelivers a message that its handler rejected, with a higher count, before later ones', async () => {
      await using scene = await openScene(bus);
      const deliveries: string[] = [];
      const inbox = await scene.subscribe({
        handler: async (message) => {
          deliveries.push(`${textOf(message)} ${message.delivery}`);
          if (textOf(message) === 'bad' && message.delivery < 3) throw new Error('not now');
        },
      });
      await scene.bus.publish(['bad', 'good'].map((text) => messageOf(scene.topic, 'key', text)));
      await inbox.wait(2);
      assert.deepEqual(deliveries, ['bad 1', 'bad 2', 'bad 3', 'good 1']);
    });

    test('moves a message that keeps failing to the dead letters, and continues', async () => {
      await using scene = await openScene(bus, (group, topic) => [deadLetterTopic(group, topic)]);
      const inbox = await scene.subscribe({
        maxDeliveries: 2,
        handler: async (message) => {
          if (textOf(message) === 'bad') throw new Error('never will');
        },
      });
      await scene.bus.publish([
        { ...messageOf(scene.topic, 'key', 'bad'), headers: { traceparent: '00-a' } },
        messageOf(scene.topic, 'key', 'good'),
      ]);
      await inbox.wait(1);
      assert.deepEqual(inbox.handled.map(textOf), ['good']);
      const letters = await scene.subscribe({
        group: `${scene.group}.reader`,
        topics: [deadLetterTopic(scene.group, scene.topic)],
      });
      const [letter] = await letters.wait(1);
      assert.equal(letter?.key, 'key');
      assert.equal(textOf(letter), 'bad');
      assert.deepEqual(
        { ...letter.headers },
        { traceparent: '00-a', 'dead-letter-error': 'never will', 'dead-letter-deliveries': '2' },
      );
    });

    test('a waiting message does not delay other partitions', async () => {
      await using scene = await openScene(bus);
      const gate = Promise.withResolvers<void>();
      const inbox = await scene.subscribe({
        handler: async ({ key }, signal) => {
          if (key === 'k0') await Promise.race([gate.promise, aborted(signal)]);
        },
      });
      // Some of the 32 keys share the waiting key's partition; most are in the other three.
      await scene.publish(keysOf(32));
      await eventually('other partitions go on', () => inbox.handled.length >= 12);
      await scene.publish(keysOf(32));
      await eventually('and on', () => inbox.handled.length >= 24);
      assert.ok(inbox.handled.every((message) => message.key !== 'k0'));
      gate.resolve();
      await inbox.wait(64);
    });

    test('a paused subscription finishes its current message and takes no new ones', async () => {
      await using scene = await openScene(bus);
      const gate = Promise.withResolvers<void>();
      const started: string[] = [];
      const inbox = await scene.subscribe({
        handler: async (message, signal) => {
          started.push(textOf(message));
          if (textOf(message) === 'in hand') await Promise.race([gate.promise, aborted(signal)]);
        },
      });
      await scene.bus.publish([messageOf(scene.topic, 'key', 'in hand')]);
      await eventually('the first message is in hand', () => started.length === 1);
      inbox.subscription.pause();
      await scene.publish(keysOf(8));
      gate.resolve();
      await inbox.wait(1);
      const watcher = await scene.subscribe({ group: `${scene.group}.watcher` });
      await watcher.wait(9);
      assert.deepEqual(started, ['in hand']);
      inbox.subscription.resume();
      await inbox.wait(9);
    });

    test('consumed messages stay consumed; unfinished ones are redelivered after the end', async () => {
      await using scene = await openScene(bus);
      const interrupted = Promise.withResolvers<void>();
      const first = await scene.subscribe({
        handler: async (message, signal) => {
          if (textOf(message) !== 'second') return;
          interrupted.resolve();
          await aborted(signal);
        },
      });
      await scene.bus.publish(
        ['first', 'second', 'third'].map((text) => messageOf(scene.topic, 'key', text)),
      );
      await interrupted.promise;
      await first.subscription[Symbol.asyncDispose]();
      const next = await scene.subscribe();
      await next.wait(2);
      assert.deepEqual(next.handled.map(textOf), ['second', 'third']);
      assert.equal(next.handled[0]?.delivery, 1);
    });

    test('rejects topics that are not declared', async () => {
      await using scene = await openScene(bus);
      await assert.rejects(scene.bus.publish([messageOf('audiosplit.unknown', 'key', '')]), /not declared/);
      await assert.rejects(scene.subscribe({ topics: ['audiosplit.unknown'] }), /not declared/);
    });

    test('passes its check', async () => {
      await using scene = await openScene(bus);
      await scene.bus.check();
    });
  });
}

interface Inbox {
  readonly subscription: Subscription;
  /** Messages whose handlers have resolved, in that order. */
  readonly handled: readonly IncomingMessage[];
  /** Resolves once `count` messages are handled in total. */
  wait(count: number): Promise<readonly IncomingMessage[]>;
}

interface Scene extends AsyncDisposable {
  readonly bus: EventBus;
  readonly topic: string;
  readonly group: string;
  subscribe(options?: Partial<SubscribeOptions>): Promise<Inbox>;
  publish(keys: readonly string[], text?: (key: string) => string): Promise<void>;
}

/** A bus with a topic and a group for this test. `more` names further topics to declare. */
async function openScene(
  under: BusUnderTest,
  more: (group: string, topic: string) => readonly string[] = () => [],
): Promise<Scene> {
  const id = randomBytes(6).toString('hex');
  const topic = `test.${id}`;
  const group = `test-group.${id}`;
  const declare = (name: string, partitions: number) => ({ name, partitions, retentionMs: 3_600_000 });
  const topics = [declare(topic, PARTITIONS), ...more(group, topic).map((name) => declare(name, 1))];
  const bus = await under.open(topics, () => 20);
  return {
    bus,
    topic,
    group,
    publish: (keys, text = (key) => key) => bus.publish(keys.map((key) => messageOf(topic, key, text(key)))),
    async subscribe(options = {}) {
      const handled: IncomingMessage[] = [];
      const subscription = await bus.subscribe({
        group,
        topics: [topic],
        onCrash: (error) => {
          throw error;
        },
        ...options,
        handler: async (message, signal) => {
          await options.handler?.(message, signal);
          handled.push(message);
        },
      });
      return {
        subscription,
        handled,
        async wait(count) {
          await eventually(`${count} messages are handled`, () => handled.length >= count);
          assert.equal(handled.length, count);
          return handled;
        },
      };
    },
    [Symbol.asyncDispose]: () => bus[Symbol.asyncDispose](),
  };
}

export function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  return until(condition, what, WAIT_MS);
}

/** Rejects once the signal is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export function messageOf(topic: string, key: string, text: string): OutgoingMessage {
  return { topic, key, value: Buffer.from(text), headers: {} };
}

export function textOf(message: OutgoingMessage | undefined): string {
  return Buffer.from(message?.value ?? []).toString();
}

function keysOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `k${index}`);
}
