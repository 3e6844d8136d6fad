import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSecretBox } from '@audiosplit/chassis/secrets/secret-box';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { BucketAction } from '@audiosplit/proto/jobs/v1/bucket';
import { TOPICS } from '@audiosplit/proto/topics';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { startJobsFixture } from '../jobs.fixture.ts';
import { createConnectionBox } from './connection-box.ts';
import { resealConnections } from './reseal-connections.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

describe('connections', () => {
  const fixture = forSuite(startJobsFixture);

  const bucket = {
    endpoint: 'https://s3.example.org',
    region: 'us-east-1',
    bucket: 'audio',
    prefix: 'in',
    accessKeyId: 'AKIA1',
    secretAccessKey: SECRET,
  };
  const create = async (accountId: string, name: string, overrides: Partial<typeof bucket> = {}) => {
    const request = { name, bucket: { ...bucket, ...overrides } };
    const { connection } = await fixture.connections.createConnection(request, fixture.as(accountId));
    assert.ok(connection);
    return connection;
  };
  const list = async (accountId: string) =>
    (await fixture.connections.listConnections({}, fixture.as(accountId))).connections;
  const namesOf = async (accountId: string) => (await list(accountId)).map(({ name }) => name);

  test('are separate for each account, sorted by name; no response contains the secret', async () => {
    const created = await create('acc_a', 'b-bucket');
    await create('acc_a', 'a-bucket', { prefix: '' });
    await create('acc_b', 'b-bucket');
    assert.deepEqual(await namesOf('acc_a'), ['a-bucket', 'b-bucket']);
    const [, listed] = await list('acc_a');
    assert.deepEqual(listed, created);
    const { createdAt: _, $typeName: __, id, ...shown } = created;
    assert.match(id, /^con_/);
    const { secretAccessKey: ___, ...given } = bucket;
    assert.deepEqual(shown, { name: 'b-bucket', ...given, prefix: 'in/' });
  });

  test('are stored with a secret that is encrypted and bound to the connection', async () => {
    const { id } = await create('acc_sealed', 'mine');
    const { rows } = await fixture.sql.query<{ row: string; sealed_secret: Buffer }>(
      'select connections::text as row, sealed_secret from connections where id = $1',
      [id],
    );
    assert.ok(rows[0]);
    assert.doesNotMatch(rows[0].row + rows[0].sealed_secret.toString('latin1'), new RegExp(SECRET));
    const box = createConnectionBox(fixture.context.keys.privateKey);
    assert.equal(box.open(id, rows[0].sealed_secret), SECRET);
    assert.equal(box.open('con_other', rows[0].sealed_secret), undefined);
  });

  test('CONNECTION_NAME_TAKEN: a name that the account already uses', async () => {
    await create('acc_names', 'mine');
    await refusal(create('acc_names', 'mine'), 'CONNECTION_NAME_TAKEN');
  });

  test('CONNECTION_LIMIT_REACHED: more than 20, also with concurrent requests', async () => {
    const all = Array.from({ length: 21 }, (_, n) => create('acc_many', `bucket-${n}`));
    const refused = (await Promise.allSettled(all)).filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 1);
    assert.equal((await list('acc_many')).length, 20);
    const { publicMessage } = await refusal(create('acc_many', 'one-more'), 'CONNECTION_LIMIT_REACHED');
    assert.match(publicMessage, /20 connections/);
  });

  for (const [what, overrides, field] of [
    ['an endpoint at a forbidden address', { endpoint: 'http://forbidden.example' }, 'endpoint'],
    ['an endpoint with a query', { endpoint: 'https://s3.example.org/?a=b' }, 'endpoint'],
    ['a prefix that leaves its folder', { prefix: 'a/../b' }, 'prefix'],
    ['a prefix that begins with a slash', { prefix: '/a' }, 'prefix'],
  ] as const) {
    test(`INVALID_PARAMS: ${what}`, async () => {
      const { violations } = await refusal(create('acc_bad', 'mine', overrides), 'INVALID_PARAMS');
      assert.equal(violations[0]?.field, field);
      assert.deepEqual(await list('acc_bad'), []);
    });
  }

  test('are deleted only by their own account', async () => {
    const { id: connectionId } = await create('acc_c', 'mine');
    const remove = (accountId: string) =>
      fixture.connections.deleteConnection({ connectionId }, fixture.as(accountId));
    await refusal(remove('acc_d'), 'NOT_FOUND');
    await remove('acc_c');
    await refusal(remove('acc_c'), 'NOT_FOUND');
    assert.deepEqual(await list('acc_c'), []);
  });

  test('are tested by a splitter, which receives the secret', async () => {
    const { id: connectionId } = await create('acc_tried', 'mine');
    const { checks } = await fixture.connections.testConnection({ connectionId }, fixture.as('acc_tried'));
    assert.deepEqual(
      checks.map(({ action, fault }) => [action, fault]),
      [
        [BucketAction.LIST, undefined],
        [BucketAction.WRITE, 'No.'],
      ],
    );
    const { $typeName: _, ...asked } = fixture.tested.at(-1) ?? assert.fail();
    assert.deepEqual(asked, { ...bucket, prefix: 'in/' });
    const foreign = fixture.connections.testConnection({ connectionId }, fixture.as('acc_other'));
    await refusal(foreign, 'NOT_FOUND');
  });

  test('are encrypted again after a change of the key; a secret that no key decrypts is reported', async () => {
    const { id: connectionId } = await create('acc_keys', 'mine');
    const { id: lostId } = await create('acc_keys', 'lost');
    const { privateKey } = fixture.context.keys;
    const former = 'a former private key of the jobs service';
    const sealed = createSecretBox(former, 'audiosplit connections').seal(Buffer.from(SECRET), connectionId);
    await fixture.sql.query(
      "update connections set sealed_secret = $2, sealed_under = 'former' where id = $1",
      [connectionId, sealed],
    );
    await fixture.sql.query(
      "update connections set sealed_secret = 'x', sealed_under = 'lost' where id = $1",
      [lostId],
    );
    const connectionBox = createConnectionBox(`${privateKey}\n${former}`);
    const { pool, context } = fixture;
    await resealConnections({ pool, log: context.log, connectionBox }, new AbortController().signal);
    await fixture.connections.testConnection({ connectionId }, fixture.as('acc_keys'));
    assert.equal(fixture.tested.at(-1)?.secretAccessKey, SECRET);
    const lost = fixture.connections.testConnection({ connectionId: lostId }, fixture.as('acc_keys'));
    await refusal(lost, 'CONNECTION_SECRET_LOST');
  });

  test('are deleted with their account', async () => {
    await create('acc_gone', 'mine');
    await fixture.bus.deliver(TOPICS.accounts, {
      id: 'evt_gone',
      accountId: 'acc_gone',
      occurredAt: timestampFromDate(new Date()),
      payload: { case: 'accountPurged', value: {} },
    });
    assert.deepEqual(await list('acc_gone'), []);
    await refusal(create('acc_gone', 'again'), 'ACCOUNT_PENDING_DELETION');
  });
});
