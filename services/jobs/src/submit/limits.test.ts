/** An account's limits after a change whose event has not arrived. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { TOPICS } from '@audiosplit/proto/topics';
import { anOutcome, aSplit, describeEvents, type JobsFixture, startJobsFixture } from '../jobs.fixture.ts';

const MIB = 1024n * 1024n;
const ACCOUNT = 'acc_ada';

const STARTER = { concurrentJobs: 5, maxFileSizeBytes: 500n * MIB, overageAllowed: true, revision: 2n };

/** An account on Free that the service has loaded. */
async function startOnFree(options: Parameters<typeof startJobsFixture>[0] = {}) {
  const fixture = await startJobsFixture({ overageAllowed: false, ...options });
  await tellLimits(fixture);
  return fixture;
}

function tellLimits({ bus, billing }: JobsFixture, limits: Partial<JobsFixture['billing']['limits']> = {}) {
  return bus.deliver(TOPICS.accounts, {
    id: `evt_${limits.revision ?? 1n}`,
    accountId: ACCOUNT,
    payload: { case: 'accountLimitsChanged', value: { limits: { ...billing.limits, ...limits } } },
  });
}

const upgrade = ({ billing }: JobsFixture) => Object.assign(billing.limits, STARTER);

const create = ({ jobs, as }: JobsFixture) => jobs.createJob(aSplit(), as(ACCOUNT));

describe('a change of limits whose event has not arrived', () => {
  test('a source that was too large for the previous plan is accepted', async () => {
    await using fixture = await startOnFree({ sourceSizeBytes: Number(101n * MIB) });
    await refusal(create(fixture), 'FILE_TOO_LARGE');
    upgrade(fixture);
    const { job } = await create(fixture);
    const claim = await fixture.leases.claimJob({ jobId: job?.id ?? '', workerId: 'w' });
    assert.equal(claim.maxSourceBytes, 500n * MIB);
  });

  test('a job beyond the quota is accepted if overage is allowed now', async () => {
    await using fixture = await startOnFree({ quotaLeftMs: 0 });
    const { publicMessage } = await refusal(create(fixture), 'QUOTA_EXCEEDED');
    assert.match(publicMessage, /^This month's 60 minutes are used up/);
    upgrade(fixture);
    const { job } = await create(fixture);
    const claim = await fixture.leases.claimJob({ jobId: job?.id ?? '', workerId: 'w' });
    assert.equal(claim.maxSourceDurationMs, undefined);
  });

  test('a claim contains the limit of the output, even if an earlier release saved the limits without it', async () => {
    await using fixture = await startOnFree({ overageAllowed: true });
    const { billing, leases } = fixture;
    const ids: string[] = [];
    for (let n = 0; n < 2; n++) ids.push((await create(fixture)).job?.id ?? '');
    const [first = '', second = ''] = ids;
    const earlier = await leases.claimJob({ jobId: first, workerId: 'w' });
    assert.equal(earlier.maxOutputBytes, undefined);
    Object.assign(billing.limits, { maxOutputBytes: 1024n * MIB });
    const claim = await leases.claimJob({ jobId: second, workerId: 'w' });
    assert.equal(claim.maxOutputBytes, 1024n * MIB);
    billing.tellsLimits = false;
    await leases.releaseJob({ jobId: first, fence: earlier.fence });
    const again = await leases.claimJob({ jobId: first, workerId: 'w' });
    assert.equal(again.maxOutputBytes, 1024n * MIB, 'it has been saved');
  });

  // Covers B-1.8
  test('the rejection names the current limit', async () => {
    await using fixture = await startOnFree({ sourceSizeBytes: Number(501n * MIB) });
    upgrade(fixture);
    const { publicMessage } = await refusal(create(fixture), 'FILE_TOO_LARGE');
    assert.match(publicMessage, /has 525 MB; your plan allows 524 MB\./);
  });

  test('a claim uses the new limits, for the size of the source and for concurrent jobs', async () => {
    await using fixture = await startOnFree();
    const { billing, leases, jobs, as, events } = fixture;
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await create(fixture)).job?.id ?? '');
    const requested = () => describeEvents(events()).filter((line) => line.startsWith('requested'));
    await until(() => requested().length === 2, 'as many are offered as Free runs at once');
    upgrade(fixture);
    const [first = '', , third = ''] = ids;
    const claim = await leases.claimJob({ jobId: first, workerId: 'w' });
    assert.equal(claim.maxSourceBytes, billing.limits.maxFileSizeBytes);
    await until(() => requested().includes(`requested ${third}`), 'the raised cap lets the third go');
    for (const jobId of ids.slice(1)) await leases.claimJob({ jobId, workerId: 'w' });
    const running = { page: 1, limit: 10, status: JobStatus.PROCESSING };
    assert.equal((await jobs.listJobs(running, as(ACCOUNT))).total, 3n);
  });

  test('a cap of 0, which a suspended account has, keeps queued jobs waiting and stops no running job', async () => {
    await using fixture = await startOnFree({ overageAllowed: true });
    const { billing, leases } = fixture;
    const ids: string[] = [];
    for (let n = 0; n < 2; n++) ids.push((await create(fixture)).job?.id ?? '');
    const [running = '', offered = ''] = ids;
    const { fence } = await leases.claimJob({ jobId: running, workerId: 'w' });
    Object.assign(billing.limits, { concurrentJobs: 0, revision: 2n });
    await tellLimits(fixture);
    const waiting = (await create(fixture)).job?.id ?? '';
    for (const jobId of [offered, waiting])
      await refusal(leases.claimJob({ jobId, workerId: 'w' }), 'NOT_CLAIMABLE');
    await leases.completeJob({ jobId: running, fence, ...anOutcome(running, fence) });
    for (const jobId of [offered, waiting])
      await refusal(leases.claimJob({ jobId, workerId: 'w' }), 'NOT_CLAIMABLE');
    Object.assign(billing.limits, { concurrentJobs: 2, revision: 3n });
    await tellLimits(fixture);
    for (const jobId of [offered, waiting]) await leases.claimJob({ jobId, workerId: 'w' });
  });

  test('an older event that arrives later changes nothing; a newer one counts', async () => {
    await using fixture = await startOnFree({ sourceSizeBytes: Number(101n * MIB) });
    const free = { ...fixture.billing.limits };
    upgrade(fixture);
    await create(fixture);
    fixture.billing.tellsLimits = false;
    await tellLimits(fixture, free);
    await create(fixture);
    await tellLimits(fixture, STARTER);
    await create(fixture);
    await tellLimits(fixture, { ...free, revision: 3n });
    await refusal(create(fixture), 'FILE_TOO_LARGE');
  });

  test('a response of billing that is older than an event changes nothing', async () => {
    await using fixture = await startOnFree({ sourceSizeBytes: Number(501n * MIB) });
    await tellLimits(fixture, STARTER);
    const { publicMessage } = await refusal(create(fixture), 'FILE_TOO_LARGE');
    assert.match(publicMessage, /has 525 MB; your plan allows 524 MB\./);
  });
});

describe('while billing does not answer', () => {
  test('a rejection uses the known limits', async () => {
    await using large = await startOnFree({ sourceSizeBytes: Number(101n * MIB) });
    large.billing.tellsLimits = false;
    await refusal(create(large), 'FILE_TOO_LARGE');
    await using usedUp = await startOnFree({ quotaLeftMs: 0 });
    usedUp.billing.tellsLimits = false;
    await refusal(create(usedUp), 'QUOTA_EXCEEDED');
  });

  test('jobs of known accounts are created, claimed and completed', async () => {
    await using fixture = await startOnFree();
    fixture.billing.tellsLimits = false;
    const jobId = (await create(fixture)).job?.id ?? '';
    const { fence, maxSourceBytes } = await fixture.leases.claimJob({ jobId, workerId: 'w' });
    assert.equal(maxSourceBytes, 100n * MIB);
    await fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
  });

  test('a job of an unknown account is rejected', async () => {
    await using fixture = await startJobsFixture();
    fixture.billing.tellsLimits = false;
    await refusal(create(fixture), 'SERVICE_UNAVAILABLE');
  });
});
