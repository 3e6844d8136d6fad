import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aSplit, startJobsFixture } from '../jobs.fixture.ts';
import { reap } from '../lease/reaper.ts';

test('a claim returns the fetch time and the number of resumes of earlier attempts', async () => {
  await using fixture = await startJobsFixture();
  const { job } = await fixture.jobs.createJob(aSplit(), fixture.as('acc_1'));
  const jobId = job?.id ?? '';
  /** Its lease has expired, or the pause before its next attempt is over, and it is offered again. */
  const offerAgain = async () => {
    await fixture.sql.query("update jobs set lease_until = now() - interval '1 second'");
    await reap(fixture.pool, () => undefined);
  };
  const claim = async () => {
    const { fence, sourceUse } = await fixture.leases.claimJob({ jobId, workerId: 'w' });
    return { fence, use: [Number(sourceUse?.fetchMs), sourceUse?.resumes] };
  };
  const used = (fetchMs: bigint, resumes: number) => ({ sourceUse: { fetchMs, resumes } });
  const first = await claim();
  assert.deepEqual(first.use, [0, 0]);
  await fixture.leases.renewLease({ jobId, fence: first.fence, ...used(10_000n, 1) });
  await offerAgain();
  const second = await claim();
  assert.deepEqual(second.use, [10_000, 1], 'a renewal is remembered, whatever became of its worker');
  const error = { code: 'SOURCE_UNREACHABLE', message: 'Away.' };
  await fixture.leases.failJob({
    jobId,
    fence: second.fence,
    error,
    retryable: true,
    ...used(20_000n, 2),
  });
  await offerAgain();
  const third = await claim();
  assert.deepEqual(third.use, [20_000, 2]);
  await fixture.leases.renewLease({ jobId, fence: third.fence, ...used(5_000n, 0) });
  await fixture.leases.renewLease({ jobId, fence: third.fence });
  await fixture.leases.releaseJob({ jobId, fence: third.fence, ...used(30_000n, 3) });
  assert.deepEqual((await claim()).use, [30_000, 3]);
});
