/** The promises of the relay on real engines while acknowledgements and commits are lost. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import type { EventBus } from '../event-bus/event-bus.ts';
import { createFaultyNetwork } from '../event-bus/faulty-network.fixture.ts';
import { openKafkaEventBus } from '../event-bus/kafka/kafka.ts';
import { openPool, withTransaction } from '../postgres/pool.ts';
import { silentLogger } from '../process/log.ts';
import { createTestDatabase } from '../testing/test-database.ts';
import { until } from '../testing/until.ts';
import { appendToOutbox } from './outbox.ts';
import { startOutboxRelay } from './relay.ts';

const brokers = process.env.TEST_KAFKA_BROKERS?.split(',');
if (brokers === undefined)
  throw new Error('TEST_KAFKA_BROKERS is not set: give host:port of brokers for tests');

const KEYS = ['a', 'b', 'c'];
const EVENTS = 36;

test('broken connections and lost commits repeat events, and lose or reorder none', async () => {
  await using database = await createTestDatabase([{ schema: 'relayed' }]);
  await using resources = new AsyncDisposableStack();
  const pool = resources.adopt(
    openPool({ url: database.url, schema: 'relayed', maxConnections: 3, onError: () => undefined }),
    (opened) => opened.end(),
  );
  const network = createFaultyNetwork();
  const topic = { name: `test.${randomBytes(6).toString('hex')}`, partitions: 2, retentionMs: 3_600_000 };
  const bus = resources.use(
    await openKafkaEventBus({
      brokers,
      clientId: 'relay-test',
      topics: [topic],
      log: silentLogger(),
      connection: {
        socketFactory: network.socketFactory,
        retry: { initialRetryTime: 20, maxRetryTime: 50, retries: 1 },
      },
    }),
  );
  const received = new Map<string, number[]>(KEYS.map((key) => [key, []]));
  await bus.subscribe({
    group: `${topic.name}.group`,
    topics: [topic.name],
    onCrash: assert.fail,
    handler: async ({ key, value }) => void received.get(key)?.push(Buffer.from(value).readUInt32BE()),
  });

  let published = 0;
  let lostCommits = 0;
  const faulty: EventBus = {
    ...bus,
    async publish(messages) {
      published += 1;
      if (published % 4 === 1) network.loseAnswers(1);
      if (published % 6 === 3) network.loseAnswers(3);
      await bus.publish(messages);
      if (published % 5 !== 0) return;
      lostCommits += 1;
      throw new Error('the process dies before it has marked them');
    },
  };
  await using relay = startOutboxRelay({ pool, bus: faulty, log: silentLogger(), batchSize: 4 });
  for (let n = 0; n < EVENTS; n++) {
    const value = Buffer.alloc(4);
    value.writeUInt32BE(n);
    await withTransaction(pool, (client) =>
      appendToOutbox(client, [{ topic: topic.name, key: KEYS[n % KEYS.length] ?? '', value }]),
    );
    relay.wake();
  }
  await until(
    async () => (await pool.query('select from outbox')).rowCount === 0,
    'the outbox is empty',
    60_000,
  );
  await until(
    () => new Set([...received.values()].flat()).size === EVENTS,
    'every event has arrived',
    60_000,
  );
  assert.ok(lostCommits > 0);
  for (const [index, key] of KEYS.entries()) {
    const inOrder = Array.from({ length: EVENTS / KEYS.length }, (_, n) => n * KEYS.length + index);
    assert.deepEqual([...new Set(received.get(key))], inOrder, `the order of ${key}`);
  }
});
