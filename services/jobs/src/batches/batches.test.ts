import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { fromCutFields } from '@audiosplit/proto/cut';
import { JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { anOutcome, aSplit, describeEvents, startJobsFixture } from '../jobs.fixture.ts';

describe('a batch', () => {
  const fixture = forSuite(() => startJobsFixture({ concurrentJobs: 2 }));

  const request = { cut: fromCutFields({ splitMode: 'parts', parts: 3 }) };
  const sourcesOf = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ sourceUrl: `https://example.com/${n}.mp3` }));
  const create = async (accountId: string, count: number) => {
    const { batch, jobIds } = await fixture.jobs.createBatch(
      { sources: sourcesOf(count), request, webhookUrl: 'https://example.com/hook', metadataJson: '{"n":1}' },
      fixture.as(accountId),
    );
    return { batchId: batch?.id ?? '', jobIds };
  };
  const countsOf = async (accountId: string, batchId: string) => {
    const { batch } = await fixture.jobs.getBatch({ batchId }, fixture.as(accountId));
    assert.ok(batch);
    const { queued, processing, completed, failed, canceled } = batch;
    return { queued, processing, completed, failed, canceled };
  };
  const countersOf = async (accountId: string) => {
    const { rows } = await fixture.sql.query(
      'select queued, dispatched, processing, failed::int as failed from account_queues where account_id = $1',
      [accountId],
    );
    return rows[0];
  };
  const fail = async (jobId: string, code: string) => {
    const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'w', supportsPlans: true });
    await fixture.leases.failJob({ jobId, fence, error: { code, message: 'No.' }, retryable: false });
  };
  const NONE = { queued: 0, processing: 0, completed: 0, failed: 0, canceled: 0 };

  test('of 1,000 sources creates one job for each, in their order, with the same settings', async () => {
    const { batchId, jobIds } = await create('acc_many', 1_000);
    assert.equal(new Set(jobIds).size, 1_000);
    assert.deepEqual(await countsOf('acc_many', batchId), { ...NONE, queued: 1_000 });
    const { jobs, total } = await fixture.jobs.listJobs(
      { page: 10, limit: 100, batchId, ascending: true },
      fixture.as('acc_many'),
    );
    assert.equal(total, 1_000n);
    assert.deepEqual(
      jobs.map(({ id }) => id),
      jobIds.slice(900),
    );
    const [job] = jobs;
    assert.deepEqual(
      [job?.batchId, job?.request?.sourceUrl, job?.webhookUrl, job?.metadataJson],
      [batchId, 'https://example.com/900.mp3', 'https://example.com/hook', '{"n":1}'],
    );
    assert.deepEqual(job?.request?.cut, request.cut);
  });

  test('offers no more jobs than may run at once', async () => {
    const { jobIds } = await create('acc_few', 5);
    assert.deepEqual(await countersOf('acc_few'), { queued: 5, dispatched: 2, processing: 0, failed: 0 });
    await until(() => {
      const events = describeEvents(fixture.events());
      return jobIds.slice(0, 2).every((id) => events.includes(`requested ${id}`));
    });
  });

  test('that does not fit into the queue as a whole creates nothing', async () => {
    await fixture.jobs.createJob(aSplit(), fixture.as('acc_full'));
    const { publicMessage } = await refusal(create('acc_full', 1_000), 'QUEUE_FULL');
    assert.match(publicMessage, /^The batch has 1000 jobs, and 1 of at most 1000 jobs are queued already/);
    assert.equal((await countersOf('acc_full'))?.queued, 1);
    await create('acc_full', 999);
  });

  test('has 1 to 1,000 sources, each with an address', async () => {
    await refusal(create('acc_none', 0), 'INVALID_PARAMS');
    await refusal(create('acc_none', 1_001), 'INVALID_PARAMS');
    const sources = [{ sourceUrl: 'no address' }];
    await refusal(fixture.jobs.createBatch({ sources, request }, fixture.as('acc_none')), 'INVALID_PARAMS');
  });

  test('without remaining quota is rejected like a single job', async () => {
    fixture.billing.limits = { ...fixture.billing.limits, overageAllowed: false, revision: 2n };
    fixture.billing.quotaLeftMs = 0;
    await refusal(create('acc_spent', 3), 'QUOTA_EXCEEDED');
    fixture.billing.limits = { ...fixture.billing.limits, overageAllowed: true, revision: 3n };
    fixture.billing.quotaLeftMs = 3_600_000;
  });

  test('that is canceled ends all queued and running jobs, and keeps finished ones', async () => {
    const { batchId, jobIds } = await create('acc_cancel', 4);
    const [first = '', second = ''] = jobIds;
    await fail(first, 'SOURCE_UNREACHABLE');
    await fixture.leases.claimJob({ jobId: second, workerId: 'w', supportsPlans: true });
    await fixture.jobs.cancelBatch({ batchId }, fixture.as('acc_cancel'));
    assert.deepEqual(await countsOf('acc_cancel', batchId), { ...NONE, failed: 1, canceled: 3 });
    assert.deepEqual(await countersOf('acc_cancel'), { queued: 0, dispatched: 0, processing: 0, failed: 4 });
    await until(() => {
      const events = describeEvents(fixture.events());
      return jobIds.every((id) => events.includes(`failed ${id}`));
    });
  });

  test('that is retried has a new job for each failed one, and keeps canceled ones', async () => {
    const { batchId, jobIds } = await create('acc_retry', 3);
    const [first = '', second = '', third = ''] = jobIds;
    await fail(first, 'SOURCE_UNREACHABLE');
    await fixture.jobs.cancelJob({ jobId: second }, fixture.as('acc_retry'));
    const { fence } = await fixture.leases.claimJob({ jobId: third, workerId: 'w', supportsPlans: true });
    await fixture.leases.completeJob({ jobId: third, fence, ...anOutcome(third, fence) });
    await fixture.jobs.retryBatch({ batchId }, fixture.as('acc_retry'));
    assert.deepEqual(await countsOf('acc_retry', batchId), { ...NONE, queued: 1, completed: 1, canceled: 1 });
    const { jobs } = await fixture.jobs.listJobs(
      { page: 1, limit: 10, batchId, status: JobStatus.QUEUED },
      fixture.as('acc_retry'),
    );
    assert.deepEqual(
      jobs.map(({ request: again, webhookUrl }) => [again?.sourceUrl, webhookUrl]),
      [['https://example.com/0.mp3', 'https://example.com/hook']],
    );
    const { job: failed } = await fixture.jobs.getJob({ jobId: first }, fixture.as('acc_retry'));
    assert.deepEqual([failed?.status, failed?.batchId], [JobStatus.FAILED, undefined]);
    await fixture.jobs.retryBatch({ batchId }, fixture.as('acc_retry'));
    assert.equal((await countsOf('acc_retry', batchId)).queued, 1);
  });

  test('is walked with only the segments of its own jobs', async () => {
    const { batchId, jobIds } = await create('acc_walk', 2);
    await fixture.jobs.createJob(aSplit(), fixture.as('acc_walk'));
    const [first = ''] = jobIds;
    const { fence } = await fixture.leases.claimJob({ jobId: first, workerId: 'w', supportsPlans: true });
    await fixture.leases.completeJob({ jobId: first, fence, ...anOutcome(first, fence) });
    const { jobs } = await fixture.jobs.walkJobs({ batchId }, fixture.as('acc_walk'));
    assert.deepEqual(
      jobs.map(({ id, segments }) => [id, segments.length]),
      jobIds.map((id) => [id, id === first ? 2 : 0]),
    );
  });

  test('is unknown to other accounts', async () => {
    const { batchId } = await create('acc_owner', 1);
    const stranger = fixture.as('acc_stranger');
    await refusal(fixture.jobs.getBatch({ batchId }, stranger), 'NOT_FOUND');
    await refusal(fixture.jobs.cancelBatch({ batchId }, stranger), 'NOT_FOUND');
    await refusal(fixture.jobs.retryBatch({ batchId }, stranger), 'NOT_FOUND');
    assert.deepEqual(await countsOf('acc_owner', batchId), { ...NONE, queued: 1 });
  });
});
