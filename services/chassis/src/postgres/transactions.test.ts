/** Transactions whose commit is sent together with their last statement. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { isUniqueViolation, onlyRow, openPool, type Pool, withTransaction } from './pool.ts';

describe('a commit that is sent together with the last statement', () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createTestDatabase([{ schema: 'one' }]);
    pool = openPool({ url: database.url, schema: 'one', maxConnections: 1, onError: () => undefined });
    await pool.query('create table kept (id integer primary key)');
  });
  after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });
  beforeEach(() => pool.query('truncate kept'));

  const insert = 'insert into kept values ($1)';
  const kept = async () => (await pool.query<{ id: number }>('select id from kept order by id')).rows;

  test('keeps all effects, once', async () => {
    const id = await withTransaction(pool, async (client, commit) => {
      await client.query(insert, [1]);
      const [result] = await Promise.all([
        client.query<{ id: number }>(`${insert} returning id`, [2]),
        commit(),
      ]);
      return onlyRow(result).id;
    });
    assert.equal(id, 2);
    assert.deepEqual(await kept(), [{ id: 1 }, { id: 2 }]);
  });

  test('keeps nothing if that statement fails, says why, and leaves the connection sound', async () => {
    await assert.rejects(
      withTransaction(pool, async (client, commit) => {
        await client.query(insert, [1]);
        await Promise.all([client.query(insert, [1]), commit()]);
      }),
      (error) => isUniqueViolation(error, 'kept_pkey'),
    );
    assert.deepEqual(await kept(), []);
    await withTransaction(pool, (client) => client.query(insert, [3]));
    assert.deepEqual(await kept(), [{ id: 3 }]);
  });

  test('a failure that the work has swallowed is reported at the commit', async () => {
    await assert.rejects(
      withTransaction(pool, async (client) => {
        await client.query(insert, [1]);
        await client.query(insert, [1]).catch(() => undefined);
      }),
      { message: 'the transaction was rolled back instead of committed' },
    );
    assert.deepEqual(await kept(), []);
  });

  test('a branch that still runs after the failure of another cannot commit', async () => {
    const rolledBack = Promise.withResolvers<void>();
    let late: Promise<void> = Promise.resolve();
    const failing = withTransaction(pool, async (client, commit) => {
      await client.query(insert, [1]);
      late = rolledBack.promise.then(commit);
      throw new Error('the first branch fails');
    });
    await assert.rejects(failing, { message: 'the first branch fails' });
    rolledBack.resolve();
    await assert.rejects(late, { message: 'the transaction has been rolled back' });
    assert.deepEqual(await kept(), []);
  });
});
