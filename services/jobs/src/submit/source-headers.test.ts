import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSecretBox } from '@audiosplit/chassis/secrets/secret-box';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { anOutcome, aSplit, startJobsFixture } from '../jobs.fixture.ts';

describe('source headers', () => {
  const fixture = forSuite(() => startJobsFixture({ concurrentJobs: 20 }));

  const account = 'acc_headers';
  const sourceHeaders = { Authorization: 'Bearer secret', 'x-a': 'b' };
  const create = async () => {
    const { job } = await fixture.jobs.createJob({ ...aSplit(), sourceHeaders }, fixture.as(account));
    assert.ok(job);
    return job;
  };
  const claim = (jobId: string, sendsSourceHeaders = true) =>
    fixture.leases.claimJob({ jobId, workerId: 'w', sendsSourceHeaders });
  const storedOf = async (jobId: string) => {
    const { rows } = await fixture.sql.query<{ source_headers: Buffer | null; row: string }>(
      'select source_headers, jobs::text as row from jobs where id = $1',
      [jobId],
    );
    return rows[0];
  };

  test('are stored encrypted; responses and walks contain their names only', async () => {
    const { id, request } = await create();
    assert.deepEqual(request?.sourceHeaderNames, ['authorization', 'x-a']);
    const stored = await storedOf(id);
    assert.ok(stored?.source_headers);
    assert.doesNotMatch(stored.row + stored.source_headers.toString('latin1'), /secret/);
    const { jobs } = await fixture.jobs.walkJobs({}, fixture.as(account));
    const { job } = await fixture.jobs.getJob({ jobId: id }, fixture.as(account));
    assert.doesNotMatch(
      JSON.stringify([jobs, job], (_, value) => (typeof value === 'bigint' ? 0 : value)),
      /secret/,
    );
    for (const event of fixture.bus.published)
      assert.equal(Buffer.from(event.value).includes('secret'), false);
  });

  test('are sent to the splitter that has claimed the job, at every attempt', async () => {
    const { id } = await create();
    const first = await claim(id);
    assert.deepEqual(first.sourceHeaders, { authorization: 'Bearer secret', 'x-a': 'b' });
    await fixture.leases.releaseJob({ jobId: id, fence: first.fence });
    assert.deepEqual((await claim(id)).sourceHeaders, first.sourceHeaders);
  });

  test('keep the job from a splitter of an earlier release, which would fetch without them', async () => {
    const { id } = await create();
    await refusal(claim(id, false), 'NOT_CLAIMABLE');
    await claim(id);
  });

  test('are removed when the job has completed, failed or been canceled', async () => {
    const ends = {
      async completed(jobId: string) {
        const { fence } = await claim(jobId);
        assert.ok((await storedOf(jobId))?.source_headers);
        await fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
      },
      async failed(jobId: string) {
        const { fence } = await claim(jobId);
        const error = { code: 'SOURCE_UNREACHABLE', message: 'Away.' };
        await fixture.leases.failJob({ jobId, fence, error, retryable: false });
      },
      async canceled(jobId: string) {
        await fixture.jobs.cancelJob({ jobId }, fixture.as(account));
      },
    };
    for (const [name, end] of Object.entries(ends)) {
      const { id } = await create();
      await end(id);
      assert.equal((await storedOf(id))?.source_headers, null, name);
      const { job } = await fixture.jobs.getJob({ jobId: id }, fixture.as(account));
      assert.deepEqual(job?.request?.sourceHeaderNames, ['authorization', 'x-a'], name);
    }
  });

  test('that cannot be decrypted any more fail the job with that reason', async () => {
    const { id } = await create();
    const sealed = createSecretBox('another secret', 'audiosplit source headers').seal(Buffer.from('{}'), id);
    await fixture.sql.query('update jobs set source_headers = $2 where id = $1', [id, sealed]);
    await refusal(claim(id), 'NOT_CLAIMABLE');
    const { job } = await fixture.jobs.getJob({ jobId: id }, fixture.as(account));
    assert.match(job?.error?.message ?? '', /can no longer be decrypted/);
  });

  test('that may not be sent are rejected', async () => {
    const call = fixture.jobs.createJob({ ...aSplit(), sourceHeaders: { Host: 'b' } }, fixture.as(account));
    await refusal(call, 'INVALID_PARAMS');
  });
});
