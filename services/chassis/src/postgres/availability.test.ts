/**
 * A service's pool while the database becomes unreachable, freezes and returns: on a real server, over a
 * network that breaks.
 */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import pg from 'pg';
import { startDeadline } from '../rpc/deadline.ts';
import { type NetworkGate, openNetworkGate } from '../testing/network-gate.ts';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { until } from '../testing/until.ts';
import { DeadlinePassedError, isPostgresAway, PoolExhaustedError } from './availability.ts';
import { checkPostgres } from './check-postgres.ts';
import { onlyRow, openPool, type Pool, withTransaction } from './pool.ts';

describe('a pool whose database becomes unavailable', () => {
  let database: TestDatabase;
  let gate: NetworkGate;
  let pool: Pool;
  /** Observes the server over a network without faults. */
  let observer: pg.Client;

  before(async () => {
    database = await createTestDatabase([{ schema: 'one' }]);
    const url = new URL(database.url);
    gate = await openNetworkGate({ hostname: url.hostname, port: Number(url.port) });
    url.hostname = '127.0.0.1';
    url.port = String(gate.port);
    pool = openPool({ url: url.href, schema: 'one', maxConnections: 2, onError: () => undefined });
    observer = new pg.Client({ connectionString: database.url });
    await observer.connect();
  });
  beforeEach(() => gate.heal());
  after(async () => {
    gate.heal();
    await pool.end();
    await observer.end();
    await gate[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  });

  const answers = () => pool.query('select 1').then(() => true);
  const within = async <T>(timeoutMs: number, work: () => Promise<T>): Promise<T> => {
    const deadline = startDeadline(timeoutMs);
    try {
      return await deadline.run(work);
    } finally {
      deadline.end();
    }
  };

  test('cut off: idle and new connections report the outage, and the next call after it succeeds', async () => {
    await answers();
    gate.cut();
    for (let call = 0; call < 5; call++) await assert.rejects(answers(), isPostgresAway);
    await assert.rejects(
      withTransaction(pool, (client) => client.query('select 1')),
      isPostgresAway,
    );
    gate.heal();
    assert.equal(await answers(), true);
  });

  test('the check distinguishes a busy pool from an unavailable database', async () => {
    await checkPostgres(pool);
    const inUse = [await pool.connect(), await pool.connect()];
    const waiting = answers();
    await checkPostgres(pool);
    gate.cut();
    await assert.rejects(checkPostgres(pool), isPostgresAway);
    gate.heal();
    for (const client of inUse) client.release(true);
    assert.equal(await waiting, true);
    await checkPostgres(pool);
  });

  test('cut off in the middle of a transaction: the call reports the outage', async () => {
    await assert.rejects(
      withTransaction(pool, async (client) => {
        await client.query('select 1');
        gate.cut();
        await client.query('select 1');
      }),
      isPostgresAway,
    );
    gate.heal();
    assert.equal(await answers(), true);
  });

  test('ended by the server: the first statement, sent together with begin, has no effect by itself', async () => {
    await observer.query('create table one.kept (id integer)');
    await observer.query('grant all on one.kept to audiosplit_one');
    const insert = (id: number) =>
      withTransaction(pool, (client) => client.query('insert into kept values ($1)', [id]));
    await insert(1);
    await observer.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'audiosplit-one'",
    );
    // The pool may have seen the end before, and opened another connection.
    const isKept = await insert(2).then(
      () => true,
      (error: unknown) => {
        assert.ok(isPostgresAway(error));
        return false;
      },
    );
    await insert(3);
    const { rows } = await pool.query<{ id: number }>('select id from kept order by id');
    assert.deepEqual(
      rows.map(({ id }) => id),
      isKept ? [1, 2, 3] : [1, 3],
    );
  });

  test('frozen: a call ends at its deadline and releases all its resources, and the pool recovers by itself', async () => {
    await Promise.all([answers(), answers()]);
    gate.freeze();
    const startedMs = performance.now();
    const calls: (() => Promise<unknown>)[] = [
      () => answers(),
      () => withTransaction(pool, (client) => client.query('select 1')),
      // Waits for a connection without success.
      () => answers(),
    ];
    for (const outcome of await Promise.allSettled(calls.map((call) => within(500, call)))) {
      assert.ok(outcome.status === 'rejected' && isPostgresAway(outcome.reason), JSON.stringify(outcome));
    }
    // The pool's own timeout for connecting is five seconds.
    assert.ok(performance.now() - startedMs < 9_000);
    gate.heal();
    await until(() => answers().catch(() => false));
    assert.equal(pool.waitingCount, 0);
  });

  test('the transaction of a call is limited to its remaining time, on the server too', async () => {
    const timeoutOf = (work: typeof withTransaction) =>
      work(pool, async (client) => onlyRow(await client.query('show statement_timeout')));
    assert.deepEqual(await within(2_000, () => timeoutOf(withTransaction)), { statement_timeout: '2s' });
    assert.deepEqual(await timeoutOf(withTransaction), { statement_timeout: '15s' });
    await assert.rejects(
      within(300, () => withTransaction(pool, (client) => client.query('select pg_sleep(5)'))),
      isPostgresAway,
    );
  });

  test('the server ends a single statement after its caller has given up', async () => {
    const running = async () =>
      onlyRow<{ count: number }>(
        await observer.query(
          "select count(*)::int from pg_stat_activity where query = 'select pg_sleep(14)'",
        ),
      ).count;
    await assert.rejects(
      within(250, () => pool.query('select pg_sleep(14)')),
      isPostgresAway,
    );
    await until(async () => (await running()) === 0);
  });

  test('a call is rejected at once if too many wait for a connection', async () => {
    const held = [await pool.connect(), await pool.connect()];
    const waiting = Array.from({ length: 500 }, () => answers());
    await assert.rejects(answers(), PoolExhaustedError);
    await assert.rejects(pool.connect(), PoolExhaustedError);
    for (const client of held) client.release();
    await Promise.all(waiting);
    assert.equal(await answers(), true);
  });

  test('a waiter past its deadline is skipped, and other calls keep their own deadlines', async () => {
    const held = [await pool.connect(), await pool.connect()];
    const late = within(1, () => answers());
    const patient = within(60_000, () =>
      withTransaction(pool, async (client) => onlyRow(await client.query('select 1 as done'))),
    );
    await new Promise((resolve) => setTimeout(resolve, 5));
    for (const client of held) client.release();
    await assert.rejects(late, DeadlinePassedError);
    assert.deepEqual(await patient, { done: 1 });
  });

  test('a wrong statement is not taken for an outage', async () => {
    await assert.rejects(pool.query('select nothing'), (error) => !isPostgresAway(error));
    await assert.rejects(pool.query('select 1/0'), (error) => !isPostgresAway(error));
  });
});
