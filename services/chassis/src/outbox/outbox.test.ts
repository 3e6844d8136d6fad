import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { EventBus, OutgoingMessage } from '../event-bus/event-bus.ts';
import { openPool, type Pool, withTransaction } from '../postgres/pool.ts';
import { silentLogger } from '../process/log.ts';
import { startScheduledWork } from '../process/scheduled-work.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { until } from '../testing/until.ts';
import { newTrace, runInTrace } from '../trace.ts';
import { appendToOutbox, consumeOnce, MAX_EVENT_BYTES, readOutbox } from './outbox.ts';
import { startOutboxRelay } from './relay.ts';

describe('the outbox and scheduled work in Postgres', () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createTestDatabase([{ schema: 'one' }, { schema: 'two' }]);
    pool = openPool({ url: database.url, schema: 'one', maxConnections: 5, onError: () => undefined });
  });
  after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });

  const message = (n: number) => ({ topic: 't', key: 'k', value: Buffer.from([n]) });
  const numbersOf = (messages: readonly OutgoingMessage[]) => messages.map((published) => published.value[0]);
  const busThat = (publish: EventBus['publish']): EventBus => ({
    publish,
    subscribe: () => Promise.reject(new Error('nobody subscribes here')),
    async check() {},
    async [Symbol.asyncDispose]() {},
  });

  test("a schema's role cannot touch another schema", async () => {
    await assert.rejects(pool.query('select * from two.outbox'), /permission denied for schema two/);
    await assert.rejects(pool.query('create table two.x (id int)'), /permission denied/);
    await assert.rejects(pool.query('create schema three'), /permission denied/);
  });

  test('the outbox keeps the events of a commit and drops those of a rollback', async () => {
    await withTransaction(pool, (client) => appendToOutbox(client, [message(1)]));
    await assert.rejects(
      withTransaction(pool, async (client) => {
        await appendToOutbox(client, [message(2)]);
        throw new Error('no');
      }),
    );
    const published: OutgoingMessage[] = [];
    await using _relay = startOutboxRelay({
      pool,
      log: silentLogger(),
      bus: busThat(async (messages) => void published.push(...messages)),
    });
    await until(() => published.length > 0);
    assert.deepEqual(numbersOf(published), [1]);
  });

  test('order is kept, the trace is passed on, and a bus that fails loses nothing', async () => {
    const published: OutgoingMessage[] = [];
    let failures = 2;
    await using relay = startOutboxRelay({
      pool,
      log: silentLogger(),
      batchSize: 3,
      bus: busThat(async (messages) => {
        if (failures-- > 0) throw new Error('the bus is away');
        published.push(...messages);
      }),
    });
    const trace = newTrace();
    await runInTrace(trace, () =>
      withTransaction(pool, (client) =>
        appendToOutbox(
          client,
          Array.from({ length: 10 }, (_, n) => message(n)),
        ),
      ),
    );
    relay.wake();
    await until(() => published.length === 10);
    assert.deepEqual(numbersOf(published), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert.match(published[0]?.headers.traceparent ?? '', new RegExp(trace.traceId));
    // Rows are deleted only after the bus has acknowledged them, so this is true shortly after publishing.
    await until(async () => (await pool.query('select from outbox')).rowCount === 0);
  });

  test('an event that no broker would accept is rejected before it can block others', async () => {
    const large = (bytes: number) => ({ topic: 't', key: 'k', value: Buffer.alloc(bytes) });
    assert.throws(() => appendToOutbox(pool, [message(1), large(MAX_EVENT_BYTES + 1)]), RangeError);
    assert.equal((await pool.query('select from outbox')).rowCount, 0);
  });

  test('a batch is also limited by its bytes, and large events are all published, in order', async () => {
    const large = (n: number) => ({ topic: 't', key: 'k', value: Buffer.alloc(MAX_EVENT_BYTES, n) });
    await withTransaction(pool, (client) => appendToOutbox(client, [1, 2, 3, 4, 5].map(large)));
    const bound = { maxRows: 3, maxBytes: 2 * MAX_EVENT_BYTES };
    const batch = await readOutbox(pool, bound);
    assert.deepEqual([numbersOf(batch.rows), batch.isFull], [[1, 2], true]);
    const first = await readOutbox(pool, { ...bound, maxBytes: 1 });
    assert.deepEqual([numbersOf(first.rows), first.isFull], [[1], true]);
    const all = await readOutbox(pool, { maxRows: 6, maxBytes: 10 * MAX_EVENT_BYTES });
    assert.deepEqual([numbersOf(all.rows), all.isFull], [[1, 2, 3, 4, 5], false]);
    const published: OutgoingMessage[] = [];
    const bus = busThat(async (messages) => void published.push(...messages));
    await using _relay = startOutboxRelay({ pool, bus, log: silentLogger(), batchSize: 2 });
    await until(() => published.length === 5);
    assert.deepEqual(numbersOf(published), [1, 2, 3, 4, 5]);
    await until(async () => (await pool.query('select from outbox')).rowCount === 0);
  });

  test('two relays publish every row once, in order', async () => {
    const published: OutgoingMessage[] = [];
    const bus = busThat(async (messages) => void published.push(...messages));
    await using one = startOutboxRelay({ pool, bus, log: silentLogger(), pollMs: 5, batchSize: 2 });
    await using two = startOutboxRelay({ pool, bus, log: silentLogger(), pollMs: 5, batchSize: 2 });
    for (let n = 0; n < 30; n++) {
      await withTransaction(pool, (client) => appendToOutbox(client, [message(n)]));
      one.wake();
      two.wake();
    }
    await until(() => published.length >= 30);
    assert.deepEqual(
      numbersOf(published),
      Array.from({ length: 30 }, (_, n) => n),
    );
  });

  test('an event is consumed once per consumer, and not at all if its transaction fails', async () => {
    const consume = (consumer: string) =>
      withTransaction(pool, (client) => consumeOnce(client, consumer, 'evt_1'));
    await assert.rejects(
      withTransaction(pool, async (client) => {
        assert.equal(await consumeOnce(client, 'a', 'evt_1'), true);
        throw new Error('no');
      }),
    );
    assert.deepEqual([await consume('a'), await consume('a'), await consume('b')], [true, false, true]);
  });

  test('scheduled work continues when the library reports the migration of another schema', async () => {
    let runs = 0;
    await using _work = await startScheduledWork({
      onCrash: assert.fail,
      pool,
      schema: 'one',
      log: silentLogger(),
      repeating: [
        {
          name: 'tock',
          everyMs: 20,
          run: async () => {
            runs += 1;
          },
        },
      ],
    });
    await until(() => runs > 0);
    await pool.query('select pg_notify($1, $2)', [
      'worker:migrate',
      '{"migrationNumber": 1, "breaking": true}',
    ]);
    const before = runs;
    await until(() => runs > before + 1);
    // The library reports its end as a failure of the process.
    process.exitCode = 0;
  });

  test('a repeating task continues after a failure, and a delayed one runs when it is due', async () => {
    let runs = 0;
    const delayed: unknown[] = [];
    await using work = await startScheduledWork({
      onCrash: assert.fail,
      pool,
      schema: 'one',
      log: silentLogger(),
      repeating: [
        {
          name: 'tick',
          everyMs: 20,
          async run() {
            runs += 1;
            if (runs === 1) throw new Error('the first run fails');
          },
        },
      ],
      delayed: [{ name: 'once', run: async (payload) => void delayed.push(payload) }],
    });
    await work.schedule(pool, 'once', { n: 1 }, {});
    await work.schedule(pool, 'once', { n: 2 }, { runAt: new Date(Date.now() + 3_600_000) });
    await assert.rejects(
      withTransaction(pool, async (client) => {
        await work.schedule(client, 'once', { n: 3 }, {});
        throw new Error('no');
      }),
    );
    await until(() => runs >= 2 && delayed.length > 0);
    assert.deepEqual(delayed, [{ n: 1 }]);
  });

  test('scheduled work that cannot start releases the pool', async () => {
    const own = openPool({ url: database.url, schema: 'one', maxConnections: 5, onError: () => undefined });
    const start = startScheduledWork({
      pool: own,
      schema: 'one',
      log: silentLogger(),
      onCrash: (error) => {
        throw error;
      },
      // Longer than the column in the library's table.
      repeating: [{ name: 'a'.repeat(200), everyMs: 60_000, run: async () => undefined }],
    });
    await assert.rejects(start);
    await own.end();
  });
});
