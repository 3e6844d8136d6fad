import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { IncomingMessage, MonitoredEventBus } from '../event-bus/event-bus.ts';
import { BUS_MIGRATIONS_DIR, BUS_SCHEMA, openPostgresEventBus } from '../event-bus/postgres/postgres.ts';
import { openPool, type Pool, withTransaction } from '../postgres/pool.ts';
import { silentLogger } from '../process/log.ts';
import { failTest } from '../testing/service-context.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { until } from '../testing/until.ts';
import { appendToOutbox, hasOutboxRows } from './outbox.ts';
import { startOutboxRelay } from './relay.ts';

const TOPICS = ['one', 'two', 'three'].map((name) => ({ name, partitions: 4, retentionMs: 60_000 }));
const messageOf = (topic: string, key: string, text: string) => ({ topic, key, value: Buffer.from(text) });

describe('events of a transaction in the database of the bus', () => {
  let database: TestDatabase;
  let bus: MonitoredEventBus;
  let pool: Pool;
  const received: string[] = [];
  before(async () => {
    database = await createTestDatabase([
      { schema: 'publisher' },
      { schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR },
    ]);
    // A consumer that is not notified would find nothing before the test ends.
    bus = await openPostgresEventBus({ ...database, topics: TOPICS, log: silentLogger(), pollMs: 600_000 });
    pool = openPool({
      url: database.url,
      schema: 'publisher',
      maxConnections: 8,
      onError: () => undefined,
      publishAtCommit: bus.database,
    });
    await bus.subscribe({
      group: 'test',
      topics: TOPICS.map(({ name }) => name),
      onCrash: failTest,
      async handler({ value }: IncomingMessage) {
        received.push(Buffer.from(value).toString());
      },
    });
  });
  after(async () => {
    await pool.end();
    await bus[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });
  const of = (prefix: string) => received.filter((text) => text.startsWith(prefix));

  test('are published with its commit and wake consumers; those of a rollback are not', async () => {
    await withTransaction(pool, (client) => appendToOutbox(client, [messageOf('one', 'k', 'commit')]));
    assert.equal(await hasOutboxRows(pool), false);
    await appendToOutbox(pool, [messageOf('two', 'k', 'commit, too')]);
    const rolledBack = withTransaction(pool, async (client) => {
      await appendToOutbox(client, [messageOf('one', 'k', 'commit, no')]);
      throw new Error('no');
    });
    await assert.rejects(rolledBack, /no/);
    await until(() => of('commit').length === 2);
    assert.deepEqual(of('commit'), ['commit', 'commit, too']);
  });

  test('keep the order of their key, if one process publishes them', async () => {
    const texts = Array.from({ length: 20 }, (_, n) => `order ${n}`);
    for (const [n, text] of texts.entries()) {
      const message = messageOf('three', 'Schlüssel', text);
      if (n % 3 === 0) await bus.publish([{ ...message, headers: {} }]);
      else await withTransaction(pool, (client) => appendToOutbox(client, [message]));
    }
    await until(() => of('order').length === texts.length);
    assert.deepEqual(of('order'), texts);
  });

  test('stay behind an earlier event of their key that the relay still has to publish', async () => {
    const former = openPool({ url: database.url, schema: 'publisher', maxConnections: 1, onError: failTest });
    await appendToOutbox(former, [messageOf('one', 'waits', 'behind 1')]);
    await former.end();
    await withTransaction(pool, async (client) => {
      await appendToOutbox(client, [messageOf('one', 'waits', 'behind 2')]);
      await appendToOutbox(client, [messageOf('two', 'other', 'behind 2, elsewhere')]);
    });
    await appendToOutbox(pool, [messageOf('one', 'free', 'free')]);
    await until(() => of('free').length === 1);
    assert.deepEqual(of('behind'), []);
    {
      await using _relay = startOutboxRelay({ pool, bus, log: silentLogger() });
      await until(() => of('behind').length === 3);
    }
    assert.deepEqual(
      of('behind').filter((text) => !text.includes('elsewhere')),
      ['behind 1', 'behind 2'],
    );
    assert.equal(await hasOutboxRows(pool), false);
  });

  test('stay in the outbox if the bus does not know their topic', async () => {
    await appendToOutbox(pool, [messageOf('one', 'k', 'unknown'), messageOf('nowhere', 'k', 'unknown')]);
    const { rowCount } = await pool.query('delete from outbox');
    assert.equal(rowCount, 2);
  });

  test('cannot deadlock, for any order in which transactions write them', async () => {
    const random = (below: number) => Math.floor(Math.random() * below);
    const transaction = (n: number) =>
      withTransaction(pool, async (client) => {
        for (let each = 0; each < 4; each++) {
          const topic = TOPICS[random(3)]?.name ?? '';
          await appendToOutbox(client, [messageOf(topic, `key ${random(20)}`, `random ${n} ${each}`)]);
        }
      });
    await Promise.all(
      Array.from({ length: 8 }, async (_, worker) => {
        for (let n = 0; n < 25; n++) await transaction(worker * 25 + n);
      }),
    );
    await until(() => of('random').length === 800);
    assert.equal(new Set(of('random')).size, 800);
  });
});
