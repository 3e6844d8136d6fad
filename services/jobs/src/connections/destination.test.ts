import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { anOutcome, aSplit, startJobsFixture } from '../jobs.fixture.ts';

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';

describe('destinations', () => {
  const fixture = forSuite(() => startJobsFixture({ concurrentJobs: 20 }));

  const connect = async (accountId: string) => {
    const bucket = { region: 'us-east-1', bucket: 'audio', accessKeyId: 'AKIA1', secretAccessKey: SECRET };
    const request = { name: 'archive', bucket };
    return (await fixture.connections.createConnection(request, fixture.as(accountId))).connection?.id ?? '';
  };
  const create = async (accountId: string, destination = {}) => {
    const { request } = aSplit();
    const wanted = { connection: 'archive', prefix: 'out', keepCopy: true, ...destination };
    const { job } = await fixture.jobs.createJob(
      { request: { ...request, destination: wanted } },
      fixture.as(accountId),
    );
    return job?.id ?? '';
  };
  const claim = (jobId: string, usesBuckets = true) =>
    fixture.leases.claimJob({ jobId, workerId: 'w', usesBuckets });
  const read = async (accountId: string, jobId: string) =>
    (await fixture.jobs.getJob({ jobId }, fixture.as(accountId))).job ?? assert.fail();
  const located = (jobId: string, fence: bigint, objectKey?: string) => {
    const outcome = anOutcome(jobId, fence);
    const segments = outcome.segments.map((segment) => ({
      ...segment,
      ...(objectKey === undefined ? {} : { objectKey }),
      location: `s3://audio/out/${jobId}/${segment.fileName}`,
    }));
    return { ...outcome, segments };
  };

  test('a claim contains the bucket; a completed job has the locations as well as the stored objects', async () => {
    await connect('acc_a');
    const jobId = await create('acc_a');
    const { destinationBucket, request, fence } = await claim(jobId);
    assert.equal(destinationBucket?.secretAccessKey, SECRET);
    const { $typeName: _, ...reported } = request?.destination ?? assert.fail();
    assert.deepEqual(reported, { connection: 'archive', prefix: 'out', keepCopy: true });
    await fixture.leases.completeJob({ jobId, fence, ...located(jobId, fence) });
    const { segments } = await read('acc_a', jobId);
    assert.deepEqual(
      segments.map(({ location, objectKey }) => [location, objectKey !== '']),
      [0, 1].map((n) => [`s3://audio/out/${jobId}/episode-${n}.mp3`, true]),
    );
  });

  test('without a copy a job has no stored objects, and its bytes do not count as stored', async () => {
    await connect('acc_b');
    const jobId = await create('acc_b', { keepCopy: false });
    const { fence } = await claim(jobId);
    const complete = (objectKey?: string) =>
      fixture.leases.completeJob({ jobId, fence, ...located(jobId, fence, objectKey) });
    await refusal(complete(), 'INVALID_PARAMS');
    await complete('');
    const { segments } = await read('acc_b', jobId);
    assert.ok(segments.every(({ objectKey, location }) => objectKey === '' && location !== undefined));
    const { rows } = await fixture.sql.query('select stored_bytes from jobs where id = $1', [jobId]);
    assert.equal(Number(rows[0]?.stored_bytes), 0);
  });

  for (const [what, destination, field] of [
    ['a missing connection', { connection: 'nothing' }, 'destination.connection'],
    ['a prefix that leaves its folder', { prefix: '../other' }, 'destination.prefix'],
  ] as const) {
    test(`INVALID_PARAMS: ${what}`, async () => {
      const { violations } = await refusal(create('acc_c', destination), 'INVALID_PARAMS');
      assert.equal(violations[0]?.field, field);
    });
  }

  test('CONNECTION_IN_USE while an unfinished job needs the connection; a job without its connection fails clearly', async () => {
    const connectionId = await connect('acc_d');
    const jobId = await create('acc_d');
    await refusal(
      fixture.connections.deleteConnection({ connectionId }, fixture.as('acc_d')),
      'CONNECTION_IN_USE',
    );
    await refusal(claim(jobId, false), 'NOT_CLAIMABLE');
    await fixture.sql.query('delete from connections where id = $1', [connectionId]);
    await refusal(claim(jobId), 'NOT_CLAIMABLE');
    assert.equal((await read('acc_d', jobId)).error?.code, 'DESTINATION_UNREACHABLE');
  });

  test('the folder of a failed job is emptied at once, and again when no worker can still write to it', async () => {
    await connect('acc_e');
    const jobId = await create('acc_e');
    const { fence } = await claim(jobId);
    const error = { code: 'DESTINATION_UNREACHABLE', message: 'It is gone.' };
    await fixture.leases.failJob({ jobId, fence, error, retryable: false });
    const emptiedTimes = () => fixture.emptied.folders.filter((folder) => folder === `out/${jobId}/`).length;
    fixture.emptied.isAway = true;
    await fixture.runTask('empty-folders');
    assert.equal(emptiedTimes(), 0);
    fixture.emptied.isAway = false;
    const due = () =>
      fixture.sql.query('update emptied_folders set due_at = now() where job_id = $1', [jobId]);
    await due();
    await fixture.runTask('empty-folders');
    await fixture.runTask('empty-folders');
    assert.equal(emptiedTimes(), 1);
    await fixture.sql.query('update emptied_folders set due_at = now(), last_at = now() where job_id = $1', [
      jobId,
    ]);
    await fixture.runTask('empty-folders');
    assert.equal(emptiedTimes(), 2);
    const { rows } = await fixture.sql.query('select * from emptied_folders where job_id = $1', [jobId]);
    assert.deepEqual(rows, []);
  });

  test('a job that is canceled before it starts has nothing to empty', async () => {
    await connect('acc_f');
    const jobId = await create('acc_f');
    await fixture.jobs.cancelJob({ jobId }, fixture.as('acc_f'));
    const { rows } = await fixture.sql.query('select * from emptied_folders where job_id = $1', [jobId]);
    assert.deepEqual(rows, []);
  });
});
