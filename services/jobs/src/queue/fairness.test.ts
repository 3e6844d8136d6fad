/** Several accounts: the queue of one must not delay the others. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errorInfoOf, hasReason } from '@audiosplit/chassis/rpc/errors';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { MAX_OFFERS_PER_ACCOUNT, MAX_QUEUED_PER_ACCOUNT } from '../job.ts';
import { anOutcome, aSplit, type JobsFixture, startJobsFixture } from '../jobs.fixture.ts';

/** A splitter that takes the offers in order, one at a time, up to its number of slots. */
function startSplitter({ events, leases }: JobsFixture, slots: number) {
  const running: { jobId: string; fence: bigint }[] = [];
  const claimed: string[] = [];
  let taken = 0;
  const takeOffer = async () => {
    let offer: string | undefined;
    await until(() => {
      for (; offer === undefined && taken < events().length; taken++) {
        const payload = events()[taken]?.payload;
        if (payload?.case === 'splitRequested') offer = payload.value.jobId;
      }
      return offer !== undefined;
    }, 'there is an offer');
    return offer ?? '';
  };
  return {
    claimed,
    /** Claims the next offered job, after finishing one if there is no slot. */
    async step() {
      const done = running.length === slots ? running.shift() : undefined;
      if (done !== undefined) await leases.completeJob({ ...done, ...anOutcome(done.jobId, done.fence) });
      const jobId = await takeOffer();
      const { fence } = await leases.claimJob({ jobId, workerId: 'w' });
      running.push({ jobId, fence });
      claimed.push(jobId);
    },
  };
}

async function queueJobs({ jobs, as }: JobsFixture, accountId: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  while (ids.length < count) {
    const batch = Math.min(50, count - ids.length);
    const created = await Promise.all(
      Array.from({ length: batch }, () => jobs.createJob(aSplit(), as(accountId))),
    );
    ids.push(...created.map(({ job }) => job?.id ?? ''));
  }
  return ids;
}

describe('fairness between accounts', () => {
  // Covers D-2.18 D-2.19
  test('1,000 queued jobs do not delay the first job of another account', async () => {
    await using fixture = await startJobsFixture({ concurrentJobs: 50 });
    await queueJobs(fixture, 'acc_eager', MAX_QUEUED_PER_ACCOUNT);
    await assert.rejects(
      fixture.jobs.createJob(aSplit(), fixture.as('acc_eager')),
      (error) => hasReason(error, Reason.QUEUE_FULL) && errorInfoOf(error).retryAfterSeconds === 30,
    );
    const [first = ''] = await queueJobs(fixture, 'acc_modest', 1);
    const splitter = startSplitter(fixture, 2);
    while (!splitter.claimed.includes(first)) await splitter.step();
    assert.ok(splitter.claimed.length <= MAX_OFFERS_PER_ACCOUNT + 1, `turn ${splitter.claimed.length}`);
    // Claimed jobs are no longer queued.
    await queueJobs(fixture, 'acc_eager', splitter.claimed.length - 1);
    await refusal(fixture.jobs.createJob(aSplit(), fixture.as('acc_eager')), 'QUEUE_FULL');
  });

  test('first offers are those of accounts of which no job runs, one of each, the longest wait first', async () => {
    await using fixture = await startJobsFixture({ concurrentJobs: 5 });
    const { leases } = fixture;
    const [running = ''] = await queueJobs(fixture, 'acc_long', 4);
    await leases.claimJob({ jobId: running, workerId: 'w' });
    const [older = ''] = await queueJobs(fixture, 'acc_older', 1);
    // One after the other: the sixth is not offered, and of those created at once it could have the lowest id.
    const newer: string[] = [];
    for (let n = 0; n < 6; n++) newer.push(...(await queueJobs(fixture, 'acc_newer', 1)));
    const find = async (limit: number) =>
      (await leases.findFirstOffers({ limit })).offers.map(({ jobId }) => jobId);
    const [next = ''] = newer.toSorted();
    assert.deepEqual(await find(100), [older, next]);
    const { fence } = await leases.claimJob({ jobId: next, workerId: 'w' });
    assert.deepEqual(await find(100), [older]);
    // Offers the account's last job.
    await leases.failJob({
      jobId: next,
      fence,
      error: { code: 'INTERNAL_ERROR', message: '' },
      retryable: false,
    });
    assert.deepEqual(await find(1), [older]);
    await refusal(leases.findFirstOffers({ limit: 0 }), 'INVALID_PARAMS');
  });

  // Covers D-2.16 D-2.17
  test('a single account gets its whole cap, first in first out', async () => {
    await using fixture = await startJobsFixture({ concurrentJobs: 20 });
    const ids: string[] = [];
    for (let n = 0; n < 30; n++) ids.push(...(await queueJobs(fixture, 'acc_alone', 1)));
    const splitter = startSplitter(fixture, 100);
    for (let n = 0; n < 20; n++) await splitter.step();
    assert.deepEqual(splitter.claimed, ids.slice(0, 20));
    const { rows } = await fixture.sql.query(
      "select queued, dispatched, processing from account_queues where account_id = 'acc_alone'",
    );
    assert.deepEqual(rows, [{ queued: 10, dispatched: 0, processing: 20 }]);
  });
});
