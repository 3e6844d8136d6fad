import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openPool } from '../../postgres/pool.ts';
import { silentLogger } from '../../process/log.ts';
import { createTestDatabase } from '../../testing/test-database.ts';
import { testBusOperationsContract } from '../bus-operations.contract.ts';
import { eventually, messageOf, testEventBusContract, textOf } from '../event-bus.contract.ts';
import type { EventBus, IncomingMessage } from '../event-bus.ts';
import { openPostgresOperations } from './operations.ts';
import {
  BUS_MIGRATIONS_DIR,
  BUS_SCHEMA,
  openPostgresEventBus,
  type PostgresEventBusOptions,
} from './postgres.ts';
import { appendMessages, claimMessages, completeClaim, joinGroup, retryClaim } from './store.ts';

const database = await createTestDatabase([{ schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR }]);
after(() => database[Symbol.asyncDispose]());

testEventBusContract('Postgres', {
  open: (topics, redeliveryDelayMs) =>
    openPostgresEventBus({ url: database.url, topics, log: silentLogger(), pollMs: 50, redeliveryDelayMs }),
});

testBusOperationsContract('Postgres', {
  openBus: (topics, redeliveryDelayMs) =>
    openPostgresEventBus({ url: database.url, topics, log: silentLogger(), pollMs: 50, redeliveryDelayMs }),
  openOperations: (topics) => openPostgresOperations({ url: database.url, topics }),
});

const ONE_DAY_MS = 86_400_000;
let topicsMade = 0;

function openBus(
  options: Partial<PostgresEventBusOptions> & { partitions?: number; retentionMs?: number } = {},
): { topic: string; open: () => Promise<EventBus> } {
  const topic = `own.${topicsMade++}`;
  const { partitions = 1, retentionMs = ONE_DAY_MS, ...rest } = options;
  return {
    topic,
    open: () =>
      openPostgresEventBus({
        url: database.url,
        topics: [{ name: topic, partitions, retentionMs }],
        log: silentLogger(),
        ...rest,
      }),
  };
}

async function collect(bus: EventBus, topic: string, group: string, messages: IncomingMessage[] = []) {
  const subscription = await bus.subscribe({
    group,
    topics: [topic],
    onCrash: assert.fail,
    handler: async (message) => {
      messages.push(message);
    },
  });
  return { subscription, messages };
}

async function withClient(work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: database.url, options: `-c search_path=${BUS_SCHEMA}` });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

test('a notification wakes consumers of another process long before their next poll', async () => {
  const { topic, open } = openBus({ pollMs: 60_000 });
  await using consumer = await open();
  await using publisher = await open();
  const { messages } = await collect(consumer, topic, 'woken');
  for (let round = 1; round <= 5; round++) {
    await publisher.publish([messageOf(topic, 'key', `${round}`)]);
    await eventually('the message is there', () => messages.length === round);
  }
});

test('notifications work again after the connection was cut', async () => {
  const { topic, open } = openBus({ pollMs: 60_000 });
  await using bus = await open();
  const { messages } = await collect(bus, topic, 'reconnected');
  await bus.publish([messageOf(topic, 'key', 'before')]);
  await eventually('the first message is there', () => messages.length === 1);
  await withClient(async (client) => {
    const cut = "query like 'listen %' and datname = current_database()";
    await client.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${cut}`);
  });
  await bus.publish([messageOf(topic, 'key', 'after')]);
  await eventually('the message after the cut is there', () => messages.length === 2);
});

test('a publisher that commits late cannot be overtaken within its partition', async () => {
  const { topic, open } = openBus({ pollMs: 20 });
  await using bus = await open();
  const { messages } = await collect(bus, topic, 'late');
  await withClient(async (client) => {
    await client.query('begin');
    await client.query(
      "select append_messages(array[$1], array[0], array['key'], array[$2::bytea], array['{}'::jsonb])",
      [topic, Buffer.from('early')],
    );
    const overtaking = bus.publish([messageOf(topic, 'key', 'late')]);
    // From outside the transaction, because inside it every read returns what the first one saw.
    await withClient((watcher) =>
      eventually('the second publisher waits', async () => {
        const { rowCount } = await watcher.query(
          "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
        );
        return (rowCount ?? 0) > 0;
      }),
    );
    await client.query('commit');
    await overtaking;
  });
  await eventually('both messages are there', () => messages.length === 2);
  assert.deepEqual(messages.map(textOf), ['early', 'late']);
});

test('a paused member leaves its partitions to the others at once', async () => {
  const { topic, open } = openBus({ pollMs: 60_000 });
  await using full = await open();
  await using idle = await open();
  const gate = Promise.withResolvers<void>();
  const started = Promise.withResolvers<void>();
  const busy = await full.subscribe({
    group: 'shared',
    topics: [topic],
    onCrash: assert.fail,
    handler: () => {
      started.resolve();
      return gate.promise;
    },
  });
  await full.publish(['first', 'second'].map((text) => messageOf(topic, 'key', text)));
  await started.promise;
  busy.pause();
  const { messages } = await collect(idle, topic, 'shared');
  gate.resolve();
  await eventually('the other member has the second message', () => messages.length === 1);
  assert.equal(textOf(messages[0]), 'second');
});

test('the partition of a dead member moves to another, and the lost delivery is counted', async () => {
  const { topic, open } = openBus({ pollMs: 20 });
  await using bus = await open();
  const { subscription, messages } = await collect(bus, topic, 'survivors');
  subscription.pause();
  await bus.publish([messageOf(topic, 'key', 'orphan')]);
  await withClient(async (client) => {
    await client.query(
      `update group_partitions set lease = gen_random_uuid(), deliveries = 1,
         available_at = now() + interval '100 ms' where group_name = 'survivors'`,
    );
  });
  subscription.resume();
  await eventually('the orphan is there', () => messages.length === 1);
  assert.equal(messages[0]?.delivery, 2);
});

test('a handler that outlives several leases keeps its message; one that lost its lease is aborted', async () => {
  const leaseMs = 1000;
  const { topic, open } = openBus({ pollMs: 20, leaseMs });
  await using bus = await open();
  const deliveries: { message: IncomingMessage; signal: AbortSignal }[] = [];
  await using _ = await bus.subscribe({
    group: 'slow',
    topics: [topic],
    onCrash: assert.fail,
    handler: async (message, signal) => {
      deliveries.push({ message, signal });
      if (deliveries.length === 1) await once(signal, 'abort');
    },
  });
  await bus.publish([messageOf(topic, 'key', 'slow')]);
  await withClient(async (client) => {
    const leaseEnd = async () => {
      const { rows } = await client.query<{ at: Date; lease: string }>(
        "select available_at as at, lease from group_partitions where group_name = 'slow'",
      );
      return rows[0];
    };
    await eventually('it is in hand', () => deliveries.length === 1);
    const claimed = await leaseEnd();
    await eventually('the lease was renewed beyond twice its length', async () => {
      const now = await leaseEnd();
      assert.equal(now?.lease, claimed?.lease);
      return (now?.at.getTime() ?? 0) - (claimed?.at.getTime() ?? 0) > 2 * leaseMs;
    });
    assert.equal(deliveries.length, 1);
    await client.query(
      "update group_partitions set lease = null, available_at = now() where group_name = 'slow'",
    );
  });
  await eventually('it is delivered again', () => deliveries.length === 2);
  await eventually('the first handler is aborted', () => deliveries[0]?.signal.aborted === true);
});

test('messages older than their retention are deleted, and groups continue after them', async () => {
  const { topic, open } = openBus({ pollMs: 20, pruneEveryMs: 20, retentionMs: 3_600_000 });
  await using bus = await open();
  await bus.publish([messageOf(topic, 'key', 'old')]);
  await withClient(async (client) => {
    await client.query("update messages set published_at = now() - interval '61 minutes' where topic = $1", [
      topic,
    ]);
    await eventually('the old message is gone', async () => {
      const { rowCount } = await client.query('select from messages where topic = $1', [topic]);
      return rowCount === 0;
    });
  });
  await bus.publish([messageOf(topic, 'key', 'new')]);
  const { messages } = await collect(bus, topic, 'latecomers');
  await eventually('the new message is there', () => messages.length === 1);
  assert.equal(textOf(messages[0]), 'new');
});

test('an existing topic keeps its partitions', async () => {
  const { topic, open } = openBus({ partitions: 2 });
  await using _ = await open();
  await using grown = await openPostgresEventBus({
    url: database.url,
    topics: [{ name: topic, partitions: 9, retentionMs: ONE_DAY_MS }],
    log: silentLogger(),
  });
  await grown.check();
  await withClient(async (client) => {
    const { rowCount } = await client.query('select from partitions where topic = $1', [topic]);
    assert.equal(rowCount, 2);
  });
});

test('a topic without an order grows, also for the groups that consume it', async () => {
  const { topic, open } = openBus({ partitions: 1 });
  await using old = await open();
  const { messages } = await collect(old, topic, 'growing');
  const declare = (partitions: number) =>
    openPostgresEventBus({
      url: database.url,
      topics: [{ name: topic, partitions, mayGrow: true, retentionMs: ONE_DAY_MS }],
      log: silentLogger(),
    });
  await using grown = await declare(4);
  await using shrunk = await declare(2);
  const keys = Array.from({ length: 30 }, (_, index) => `k${index}`);
  await grown.publish(keys.map((key) => messageOf(topic, key, key)));
  await shrunk.publish(keys.map((key) => messageOf(topic, key, key)));
  await eventually('the old member has all of them', () => messages.length === 60);
  await withClient(async (client) => {
    const { rowCount } = await client.query('select from partitions where topic = $1 and next_position > 0', [
      topic,
    ]);
    assert.equal(rowCount, 4);
  });
});

test('a connection keeps few prepared statements after thousands of messages, and still prepares new ones', async () => {
  const { topic, open } = openBus({ partitions: 2 });
  await using _ = await open();
  const pool = openPool({ url: database.url, schema: BUS_SCHEMA, maxConnections: 1, onError: assert.fail });
  await using _pool = { [Symbol.asyncDispose]: () => pool.end() };
  const group = { group: 'prepared', topics: [topic] };
  await joinGroup(pool, group.group, group.topics);
  const partitionsOf = new Map([[topic, 2]]);
  const messages = Array.from({ length: 1_100 }, (_, n) => [`a${n}`, `b${n}`]).flat();
  await appendMessages(
    pool,
    partitionsOf,
    messages.map((key) => messageOf(topic, key, '')),
  );
  let completed = 0;
  while (completed < messages.length) {
    for (const claim of await claimMessages(pool, { ...group, limit: 10, leaseMs: 10_000 })) {
      // The pause differs each time, and ends before the next read.
      if (claim.message.delivery === 1 && claim.position % 10 === 0) {
        assert.equal(await retryClaim(pool, claim, -claim.position), true);
      } else {
        assert.equal(await completeClaim(pool, claim), true);
        completed += 1;
      }
    }
  }
  const held = async () => {
    const { rows } = await pool.query<{ statement: string }>('select statement from pg_prepared_statements');
    return rows.map(({ statement }) => statement);
  };
  const { length } = await held();
  assert.ok(length < 10, `${length} statements are held`);
  const other = 'select $1::integer as other';
  await pool.query(other, [1]);
  assert.ok((await held()).includes(other));
});

test('queries planned while there were no messages do not read all of them later', async () => {
  await using own = await createTestDatabase([{ schema: BUS_SCHEMA, migrationsDir: BUS_MIGRATIONS_DIR }]);
  const client = new pg.Client({ connectionString: own.url, options: `-c search_path=${BUS_SCHEMA}` });
  await client.connect();
  await using _client = { [Symbol.asyncDispose]: () => client.end() };
  // So that the server's statistics show no rows, and nothing makes it plan again meanwhile.
  await client.query('alter table messages set (autovacuum_enabled = off)');
  await client.query('vacuum analyze messages');
  const topic = 'grown';
  const keys = Array.from({ length: 2_000 }, (_, n) => `k${n}`);
  {
    await using bus = await openPostgresEventBus({
      url: own.url,
      topics: [{ name: topic, partitions: 8, retentionMs: ONE_DAY_MS }],
      log: silentLogger(),
      pollMs: 5,
      maxConnections: 2,
    });
    const { messages } = await collect(bus, topic, 'looking');
    // Long enough for as many polls as the server needs before it keeps a plan.
    await sleep(200);
    await bus.publish(keys.map((key) => messageOf(topic, key, '')));
    await eventually('all are consumed', () => messages.length === keys.length);
  }
  // A connection reports its reads when it ends.
  const { rows } = await client.query<{ whole: string; rows: string }>(
    `select t.seq_scan as whole, i.idx_tup_read as rows
     from pg_stat_user_tables t join pg_stat_user_indexes i using (relid)
     where t.relname = 'messages' and i.indexrelname = 'messages_pkey'`,
  );
  const [read] = rows;
  const perMessage = Number(read?.rows) / keys.length;
  assert.ok(perMessage < 10, `${perMessage} are read for each message`);
  assert.equal(Number(read?.whole), 0);
});
