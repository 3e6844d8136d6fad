import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { aSplit, startJobsFixture } from '../jobs.fixture.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

describe('sources in buckets', () => {
  const fixture = forSuite(() => startJobsFixture({ concurrentJobs: 20 }));

  const connect = async (accountId: string, name = 'archive') => {
    const bucket = {
      region: 'us-east-1',
      bucket: 'audio',
      prefix: 'in',
      accessKeyId: 'AKIA1',
      secretAccessKey: SECRET,
    };
    const { connection } = await fixture.connections.createConnection(
      { name, bucket },
      fixture.as(accountId),
    );
    return connection?.id ?? '';
  };
  const create = async (accountId: string, url: string) =>
    (await fixture.jobs.createJob(aSplit(url), fixture.as(accountId))).job ?? assert.fail();
  const claim = (jobId: string, usesBuckets = true) =>
    fixture.leases.claimJob({ jobId, workerId: 'w', usesBuckets });
  const remove = (accountId: string, connectionId: string) =>
    fixture.connections.deleteConnection({ connectionId }, fixture.as(accountId));

  test('a job receives its bucket with the claim, by name or by id, and its key unchanged', async () => {
    const id = await connect('acc_a');
    for (const name of ['archive', id]) {
      const url = `s3://${name}/talks/a b?c#d%20e.mp3`;
      const job = await create('acc_a', url);
      assert.equal(job.request?.sourceUrl, url);
      const { sourceObject } = await claim(job.id);
      assert.equal(sourceObject?.key, 'talks/a b?c#d%20e.mp3');
      assert.deepEqual(
        [sourceObject?.bucket?.prefix, sourceObject?.bucket?.secretAccessKey],
        ['in/', SECRET],
      );
    }
  });

  test('the secret is in no event, list or row of the job', async () => {
    await connect('acc_b');
    const { id } = await create('acc_b', 's3://archive/a.mp3');
    const walked = await fixture.jobs.walkJobs({}, fixture.as('acc_b'));
    const { rows } = await fixture.sql.query('select jobs::text as row from jobs where id = $1', [id]);
    const texts = [walked, rows, fixture.events()].map((each) =>
      JSON.stringify(each, (_, value) => (typeof value === 'bigint' ? 0 : value)),
    );
    assert.doesNotMatch(texts.join(), new RegExp(SECRET));
  });

  for (const [what, url] of [
    ['a missing connection', 's3://nothing/a.mp3'],
    ["another account's connection", 's3://foreign/a.mp3'],
    ['no key', 's3://archive/'],
    ['no connection', 's3:///a.mp3'],
    ['a key that leaves the prefix', 's3://archive/../a.mp3'],
  ] as const) {
    test(`INVALID_PARAMS: ${what}`, async () => {
      if (what.startsWith('another')) await connect('acc_other', 'foreign');
      const { violations } = await refusal(create('acc_c', url), 'INVALID_PARAMS');
      assert.equal(violations[0]?.field, 'sourceUrl');
    });
  }

  test('CONNECTION_IN_USE: while an unfinished job needs the connection', async () => {
    const connectionId = await connect('acc_d');
    const { id: jobId } = await create('acc_d', 's3://archive/a.mp3');
    const { publicMessage } = await refusal(remove('acc_d', connectionId), 'CONNECTION_IN_USE');
    assert.match(publicMessage, new RegExp(`archive.*${jobId}`));
    await fixture.jobs.cancelJob({ jobId }, fixture.as('acc_d'));
    await remove('acc_d', connectionId);
  });

  test('a job whose connection was deleted during its creation fails with that reason', async () => {
    const connectionId = await connect('acc_e');
    const { id: jobId } = await create('acc_e', 's3://archive/a.mp3');
    await fixture.sql.query('delete from connections where id = $1', [connectionId]);
    await refusal(claim(jobId), 'NOT_CLAIMABLE');
    const { job } = await fixture.jobs.getJob({ jobId }, fixture.as('acc_e'));
    assert.deepEqual(
      [job?.error?.code, /deleted/.test(job?.error?.message ?? '')],
      ['SOURCE_UNREACHABLE', true],
    );
  });

  test('a splitter of the previous release receives no such job', async () => {
    await connect('acc_f');
    const { id: jobId } = await create('acc_f', 's3://archive/a.mp3');
    await refusal(claim(jobId, false), 'NOT_CLAIMABLE');
    await claim(jobId);
  });

  test('a batch accepts them, and rejects a missing connection', async () => {
    const connectionId = await connect('acc_g');
    const { cut } = aSplit().request;
    const batchOf = (...urls: string[]) =>
      fixture.jobs.createBatch(
        { sources: urls.map((sourceUrl) => ({ sourceUrl })), request: { cut } },
        fixture.as('acc_g'),
      );
    const { jobIds } = await batchOf('s3://archive/a.mp3', 'https://example.com/b.mp3');
    await refusal(remove('acc_g', connectionId), 'CONNECTION_IN_USE');
    const { sourceObject } = await claim(jobIds[0] ?? '');
    assert.equal(sourceObject?.key, 'a.mp3');
    await refusal(batchOf('s3://nothing/a.mp3'), 'INVALID_PARAMS');
  });
});
