import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { anOutcome, aSplit, startJobsFixture } from '../jobs.fixture.ts';

// Covers D-2.13
test('one of a deletion and a concurrent claim succeeds', async () => {
  await using fixture = await startJobsFixture();
  const { jobs, leases } = fixture;
  const asAda = fixture.as('acc_ada');
  for (let round = 0; round < 20; round++) {
    const { job } = await jobs.createJob(aSplit(), asAda);
    const jobId = job?.id ?? '';
    const claim = () => leases.claimJob({ jobId, workerId: 'w' });
    const remove = () => jobs.deleteJob({ jobId }, asAda);
    const race = round % 2 === 0 ? [claim(), remove()] : [remove(), claim()];
    const outcomes = await Promise.allSettled(race);
    const lost = outcomes.filter((outcome) => outcome.status === 'rejected');
    assert.equal(lost.length, 1);
    const reason = lost[0]?.reason;
    if (hasReason(reason, Reason.NOT_CLAIMABLE)) continue;
    assert.ok(hasReason(reason, Reason.JOB_ALREADY_PROCESSING), String(reason));
    const claimed = outcomes.find((outcome) => outcome.status === 'fulfilled')?.value;
    const fence = claimed !== undefined && 'fence' in claimed ? claimed.fence : assert.fail();
    await leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    await remove();
  }
});
