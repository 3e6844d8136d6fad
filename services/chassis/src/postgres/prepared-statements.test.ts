import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { createTestDatabase, type TestDatabase } from '../testing/test-database.ts';
import { onlyRow, openPool, type Pool, withTransaction } from './pool.ts';

describe('prepared statements', () => {
  let database: TestDatabase;
  let pool: Pool;

  before(async () => {
    database = await createTestDatabase([{ schema: 'one' }]);
    pool = openPool({ url: database.url, schema: 'one', maxConnections: 1, onError: () => undefined });
    await pool.query('create table things (id integer primary key, name text)');
  });
  after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });

  const preparedAs = async (text: string) => {
    const { rows } = await pool.query<{ calls: number }>({
      text: 'select generic_plans + custom_plans as calls from pg_prepared_statements where statement = $1',
      values: [text],
    });
    return rows.map(({ calls }) => calls);
  };

  const held = async () => {
    const { prepared } = onlyRow(
      await pool.query<{ prepared: number }>(
        'select count(*)::integer as prepared from pg_prepared_statements',
      ),
    );
    return prepared;
  };

  test('are prepared once per connection, inside and outside transactions', async () => {
    const insert = 'insert into things values ($1, $2)';
    await pool.query(insert, [1, 'one']);
    await withTransaction(pool, async (client) => {
      await client.query(insert, [2, 'two']);
      await client.query(insert, [3, null]);
    });
    assert.deepEqual(await preparedAs(insert), [3]);
    assert.equal((await pool.query('select id from things where id = any($1)', [[1, 2, 3, 4]])).rowCount, 3);
  });

  test('are prepared after a first failure, once they work', async () => {
    const early = 'select name from later where id = $1';
    await assert.rejects(pool.query(early, [1]), { code: '42P01' });
    await pool.query('create table later (id integer, name text)');
    assert.equal((await pool.query(early, [1])).rowCount, 0);
    assert.deepEqual(await preparedAs(early), [1]);
  });

  test('do not fail because of a migration in progress', async () => {
    const read = 'select id, name from things where id = $1';
    await pool.query(read, [1]);
    const migration = new pg.Client({ connectionString: database.url });
    await migration.connect();
    await migration.query('alter table one.things add column size bigint default 0');
    await migration.query('create index on one.things (name)');
    await migration.end();
    assert.deepEqual(onlyRow(await pool.query(read, [1])), { id: 1, name: 'one' });
  });

  test('share a few slots if they differ only in literals, and do not displace others', async () => {
    for (let n = 0; n < 600; n++)
      await pool.query(`select $1::integer + ${n} as sum, 'no ${n} of it''s' as literal`, [1]);
    assert.ok((await held()) < 30, `${await held()} are held`);
    const other = 'select $1::integer as another';
    await pool.query(other, [1]);
    assert.deepEqual(await preparedAs(other), [1]);
    const { sum } = onlyRow(await pool.query<{ sum: number }>('select $1::integer + 599 as sum', [1]));
    assert.equal(sum, 600);
  });

  test('never exceed the limit of a connection', async () => {
    for (let n = 0; n < 600; n++) await pool.query(`select $1::integer as column_${n}`, [1]);
    assert.ok((await held()) <= 500, `${await held()} are held`);
    const { last } = onlyRow(await pool.query<{ last: number }>('select $1::integer as last', [1]));
    assert.equal(last, 1);
  });

  test('are prepared even if the limit is reached', async () => {
    const used = 'select $1::integer as used_all_the_time';
    for (let n = 0; n < 600; n++) {
      await pool.query(`select $1::integer as other_${n}`, [1]);
      await pool.query(used, [n]);
    }
    const late = 'select $1::integer as late';
    await pool.query(late, [1]);
    assert.deepEqual([await preparedAs(late), await preparedAs(used)], [[1], [600]]);
    assert.ok((await held()) <= 500, `${await held()} are held`);
    assert.equal((await pool.query('select $1::integer as other_1', [1])).rowCount, 1);
  });
});
