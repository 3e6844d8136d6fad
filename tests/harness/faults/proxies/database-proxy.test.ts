import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import pg from 'pg';
import { createAnswerReader, startDatabaseProxy } from './database-proxy.ts';

function message(type: string, body: string): Buffer {
  const bytes = Buffer.alloc(5 + body.length);
  bytes.write(type, 0, 'latin1');
  bytes.writeUInt32BE(4 + body.length, 1);
  bytes.write(body, 5, 'latin1');
  return bytes;
}

const complete = (tag: string) => message('C', `${tag}\0`);
const ready = (status: 'I' | 'T' | 'E') => message('Z', status);

/** Returns which bytes pass and which are lost, for bytes that arrive in pieces. */
function read(bytes: Buffer, pieceBytes: number, isArmed = true) {
  const passed: Buffer[] = [];
  let lost: string | undefined;
  const reader = createAnswerReader({
    isArmed: () => isArmed && lost === undefined,
    forward: (part) => void passed.push(part),
    lose: (tag) => {
      lost = tag;
    },
  });
  for (let at = 0; at < bytes.length && lost === undefined; at += pieceBytes)
    reader(bytes.subarray(at, at + pieceBytes));
  return { passed: Buffer.concat(passed), lost };
}

const transaction = [
  ...[complete('BEGIN'), ready('T')],
  ...[complete('INSERT 0 1'), ready('T')],
  ...[complete('COMMIT'), ready('I')],
];

describe('reading the responses', () => {
  test('the response to a commit is held back, for any size of chunks', () => {
    for (const pieceBytes of [1, 3, 7, 1_000]) {
      const { passed, lost } = read(Buffer.concat(transaction), pieceBytes);
      assert.equal(lost, 'COMMIT');
      assert.deepEqual(passed, Buffer.concat(transaction.slice(0, 4)), `in pieces of ${pieceBytes}`);
    }
  });

  test('a statement outside a transaction is a commit itself; one that changes nothing is not', () => {
    assert.equal(read(Buffer.concat([complete('UPDATE 2'), ready('I')]), 5).lost, 'UPDATE 2');
    const harmless = Buffer.concat([complete('SELECT 3'), ready('I'), complete('UPDATE 0'), ready('I')]);
    assert.deepEqual(read(harmless, 5), { passed: harmless, lost: undefined });
  });

  test('everything passes if the proxy is not armed, or if the transaction was rolled back', () => {
    const bytes = Buffer.concat(transaction);
    assert.deepEqual(read(bytes, 4, false), { passed: bytes, lost: undefined });
    const rolledBack = Buffer.concat([complete('BEGIN'), ready('T'), complete('ROLLBACK'), ready('I')]);
    assert.deepEqual(read(rolledBack, 4), { passed: rolledBack, lost: undefined });
  });
});

test('a lost commit is durable, and only its own application loses the response', async () => {
  await using database = await createTestDatabase([]);
  const url = new URL(database.url);
  await using proxy = await startDatabaseProxy({ host: url.hostname, port: Number(url.port) });
  url.port = String(proxy.port);
  const open = async (application_name: string) => {
    const client = new pg.Client({ connectionString: url.href, application_name });
    client.on('error', () => undefined);
    await client.connect();
    return client;
  };
  const victim = await open('victim');
  const other = await open('other');
  await victim.query('create table written (by text)');
  const lost = proxy.loseNextCommit('victim', AbortSignal.timeout(10_000));

  await other.query('begin');
  await other.query(`insert into written values ('other')`);
  await other.query('commit');
  await victim.query('begin');
  await victim.query(`insert into written values ('victim')`);
  await assert.rejects(victim.query('commit'));

  assert.deepEqual(await lost, { application: 'victim', tag: 'COMMIT' });
  const { rows } = await other.query('select by from written order by by');
  assert.deepEqual(rows, [{ by: 'other' }, { by: 'victim' }]);
  await other.end();
});

test('waiting for a commit that does not arrive ends with the reason', async () => {
  await using proxy = await startDatabaseProxy({ host: '127.0.0.1', port: 9 });
  const impatience = new AbortController();
  const lost = proxy.loseNextCommit('nobody', impatience.signal);
  impatience.abort(new Error('long enough'));
  await assert.rejects(lost, /long enough/);
});
