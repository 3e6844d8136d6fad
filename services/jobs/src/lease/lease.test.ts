import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { until } from '@audiosplit/chassis/testing/until';
import { newTrace, runInTrace, traceFromHeaders } from '@audiosplit/chassis/trace';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { anOutcome, describeEvents, startJobsFixture } from '../jobs.fixture.ts';
import { reap } from './reaper.ts';

describe('the lease protocol', () => {
  const fixture = forSuite(startJobsFixture);
  const reapNow = () => reap(fixture.pool, () => undefined);

  let accounts = 0;
  const newAccount = () => `acc_${++accounts}`;
  const expireLease = (jobId: string) =>
    fixture.sql.query("update jobs set lease_until = now() - interval '1 second' where id = $1", [jobId]);
  const expirePause = expireLease;
  const countersOf = async (accountId: string) => {
    const { rows } = await fixture.sql.query(
      'select queued, dispatched, processing, completed::int, failed::int from account_queues where account_id = $1',
      [accountId],
    );
    return rows[0];
  };

  test('a claim returns the trace in which the job was created, also after a release', async () => {
    const account = newAccount();
    const trace = newTrace();
    const jobId = await runInTrace(trace, () => fixture.create(account));
    for (const _ of ['created', 'released']) {
      const claimed = await fixture.leases.claimJob({ jobId, workerId: 'one' });
      assert.equal(traceFromHeaders((name) => claimed.trace[name]).traceId, trace.traceId);
      await fixture.leases.releaseJob({ jobId, fence: claimed.fence });
    }
  });

  test('one of two workers that claim concurrently gets the job', async () => {
    const account = newAccount();
    for (let round = 0; round < 10; round++) {
      const jobId = await fixture.create(account);
      const claims = await Promise.allSettled([
        fixture.leases.claimJob({ jobId, workerId: 'one' }),
        fixture.leases.claimJob({ jobId, workerId: 'two' }),
      ]);
      const winners = claims.filter((claim) => claim.status === 'fulfilled');
      const losers = claims.filter((claim) => claim.status === 'rejected');
      assert.equal(winners.length, 1);
      assert.ok(losers.every((loser) => hasReason(loser.reason, Reason.NOT_CLAIMABLE)));
      const { fence } = winners[0]?.value ?? assert.fail();
      await fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    }
    assert.deepEqual(await countersOf(account), {
      queued: 0,
      dispatched: 0,
      processing: 0,
      completed: 10,
      failed: 0,
    });
  });

  test('NOT_CLAIMABLE for a job that does not exist', async () => {
    await refusal(fixture.leases.claimJob({ jobId: 'job_none', workerId: 'w' }), 'NOT_CLAIMABLE');
  });

  // Covers D-2.1
  test('completion stores segments and state at once; repeating it is a no-op', async () => {
    const account = newAccount();
    const jobId = await fixture.create(account);
    const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'w' });
    await fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    const completed = await fixture.read(account, jobId);
    assert.equal(completed.status, JobStatus.COMPLETED);
    assert.deepEqual(
      completed.segments.map((segment) => Number(segment.durationMs)),
      [60_000, 1_000],
    );
    await fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    assert.deepEqual(await fixture.read(account, jobId), completed);
    await until(() => lines(jobId).includes(`completed ${jobId}`), 'one completed event');
    assert.deepEqual(lines(jobId), [`requested ${jobId}`, `processing ${jobId}`, `completed ${jobId}`]);
  });

  test('LEASE_LOST: a worker whose job was claimed again cannot renew, complete, fail or release it', async () => {
    const account = newAccount();
    const jobId = await fixture.create(account);
    const zombie = await fixture.leases.claimJob({ jobId, workerId: 'zombie' });
    await expireLease(jobId);
    await reapNow();
    const heir = await fixture.leases.claimJob({ jobId, workerId: 'heir' });
    assert.ok(heir.fence > zombie.fence);
    assert.equal(heir.attempt, 2);
    const { fence } = zombie;
    await refusal(fixture.leases.renewLease({ jobId, fence, progressPercent: 99 }), 'LEASE_LOST');
    await refusal(fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) }), 'LEASE_LOST');
    await refusal(fixture.leases.failJob({ jobId, fence, error: { code: 'X', message: 'x' } }), 'LEASE_LOST');
    await refusal(fixture.leases.releaseJob({ jobId, fence }), 'LEASE_LOST');
    const job = await fixture.read(account, jobId);
    assert.equal(job.status, JobStatus.PROCESSING);
    assert.equal(job.progressPercent, 0);
    await fixture.leases.completeJob({ jobId, fence: heir.fence, ...anOutcome(jobId, heir.fence) });
    const completed = await fixture.read(account, jobId);
    assert.ok(
      completed.segments.every((segment) => segment.objectKey.startsWith(`jobs/${jobId}/${heir.fence}/`)),
    );
    await refusal(fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) }), 'LEASE_LOST');
  });

  test('a check returns all ended leases, for any reason, and changes nothing', async () => {
    const claimNew = async () => {
      const account = newAccount();
      const jobId = await fixture.create(account);
      const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'w' });
      return { account, jobId, fence };
    };
    const leaseOf = ({ jobId, fence }: { jobId: string; fence: bigint }) => ({ jobId, fence });
    const overOf = async (leases: readonly { jobId: string; fence: bigint }[]) =>
      new Set(
        (await fixture.leases.checkLeases({ leases: leases.map(leaseOf) })).over.map(({ jobId }) => jobId),
      );

    const held = await claimNew();
    const canceled = await claimNew();
    const removed = await claimNew();
    assert.deepEqual(await overOf([held, canceled, removed]), new Set());
    await fixture.jobs.cancelJob({ jobId: canceled.jobId }, fixture.as(canceled.account));
    await fixture.jobs.cancelJob({ jobId: removed.jobId }, fixture.as(removed.account));
    await fixture.jobs.deleteJob({ jobId: removed.jobId }, fixture.as(removed.account));
    assert.deepEqual(await overOf([held, canceled, removed]), new Set([canceled.jobId, removed.jobId]));

    await expireLease(held.jobId);
    const late = await overOf([held]);
    assert.deepEqual(late, new Set(), 'no other worker has it: a renewal would still succeed');
    await fixture.leases.renewLease(leaseOf(held));
    await fixture.leases.releaseJob(leaseOf(held));
    assert.deepEqual(await overOf([held]), new Set([held.jobId]));
    const heir = await fixture.leases.claimJob({ jobId: held.jobId, workerId: 'heir' });
    assert.equal(heir.attempt, 1, 'what was handed back does not count');
    assert.deepEqual(await overOf([held]), new Set([held.jobId]));
    assert.deepEqual(await overOf([{ jobId: held.jobId, fence: heir.fence }]), new Set());
    assert.deepEqual(await overOf([]), new Set());
  });

  test('LEASE_LOST says whether the owner ended the job', async () => {
    const account = newAccount();
    const as = fixture.as(account);
    const claimNew = async () => {
      const jobId = await fixture.create(account);
      const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'w' });
      return { jobId, fence };
    };
    const isOwners = async (call: Promise<unknown>) => (await refusal(call, 'LEASE_LOST')).endedByOwner;
    const everyWordIsOwners = async ({ jobId, fence }: { jobId: string; fence: bigint }) => [
      await isOwners(fixture.leases.renewLease({ jobId, fence })),
      await isOwners(fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) })),
      await isOwners(fixture.leases.failJob({ jobId, fence, error: { code: 'X', message: 'x' } })),
      await isOwners(fixture.leases.releaseJob({ jobId, fence })),
    ];

    const canceled = await claimNew();
    await fixture.jobs.cancelJob({ jobId: canceled.jobId }, as);
    assert.deepEqual(await everyWordIsOwners(canceled), [true, true, true, true]);
    await fixture.jobs.deleteJob({ jobId: canceled.jobId }, as);
    assert.deepEqual(await everyWordIsOwners(canceled), [true, true, true, true]);

    const takenOver = await claimNew();
    await expireLease(takenOver.jobId);
    await reapNow();
    const heir = await fixture.leases.claimJob({ jobId: takenOver.jobId, workerId: 'heir' });
    assert.deepEqual(await everyWordIsOwners(takenOver), [false, false, false, false]);
    await fixture.jobs.cancelJob({ jobId: takenOver.jobId }, as);
    assert.deepEqual(await everyWordIsOwners(takenOver), [false, false, false, false]);
    assert.deepEqual(await everyWordIsOwners({ ...takenOver, fence: heir.fence }), [true, true, true, true]);

    const timedOut = await claimNew();
    await fixture.sql.query("update jobs set deadline_at = now() - interval '1 second' where id = $1", [
      timedOut.jobId,
    ]);
    assert.equal(await isOwners(fixture.leases.renewLease(timedOut)), false);
    await expireLease(timedOut.jobId);
    await reapNow();
    assert.deepEqual(await everyWordIsOwners(timedOut), [false, false, false, false]);
  });

  test('one of a late completion and a concurrent new claim succeeds', async () => {
    const account = newAccount();
    for (let round = 0; round < 10; round++) {
      const jobId = await fixture.create(account);
      const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'slow' });
      await expireLease(jobId);
      const [completion, claim] = await Promise.allSettled([
        fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) }),
        fixture.leases.claimJob({ jobId, workerId: 'quick' }),
      ]);
      assert.notEqual(completion.status, claim.status);
      if (claim.status === 'fulfilled') {
        await fixture.leases.completeJob({
          jobId,
          fence: claim.value.fence,
          ...anOutcome(jobId, claim.value.fence),
        });
      }
      assert.equal((await fixture.read(account, jobId)).segments.length, 2);
    }
    assert.equal((await countersOf(account)).completed, 10);
  });

  test('an expired lease that no other worker has taken can be renewed', async () => {
    const jobId = await fixture.create(newAccount());
    const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'w' });
    await expireLease(jobId);
    await fixture.leases.renewLease({ jobId, fence, progressPercent: 10 });
    assert.equal((await reapNow()).offeredAgain, 0);
  });

  test('progress never decreases', async () => {
    const account = newAccount();
    const jobId = await fixture.create(account);
    const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'w' });
    for (const progressPercent of [10, 70, 30])
      await fixture.leases.renewLease({ jobId, fence, progressPercent });
    assert.equal((await fixture.read(account, jobId)).progressPercent, 70);
  });

  // Covers D-2.16 D-2.17
  test('a job beyond the cap of its account is neither offered nor claimable', async () => {
    const account = newAccount();
    const ids = [
      await fixture.create(account),
      await fixture.create(account),
      await fixture.create(account),
    ] as const;
    assert.deepEqual(await countersOf(account), {
      queued: 3,
      dispatched: 2,
      processing: 0,
      completed: 0,
      failed: 0,
    });
    const first = await fixture.leases.claimJob({ jobId: ids[0], workerId: 'w' });
    await fixture.leases.claimJob({ jobId: ids[1], workerId: 'w' });
    await refusal(fixture.leases.claimJob({ jobId: ids[2], workerId: 'w' }), 'NOT_CLAIMABLE');
    assert.deepEqual(lines(ids[2]), []);
    await fixture.leases.completeJob({
      jobId: ids[0],
      fence: first.fence,
      ...anOutcome(ids[0], first.fence),
    });
    await until(() => lines(ids[2]).includes(`requested ${ids[2]}`), 'the third is offered');
    await fixture.leases.claimJob({ jobId: ids[2], workerId: 'w' });
  });

  test('a claim that is rejected because of a lowered cap returns the job to the queue', async () => {
    const account = newAccount();
    const ids = [await fixture.create(account), await fixture.create(account)] as const;
    const first = await fixture.leases.claimJob({ jobId: ids[0], workerId: 'w' });
    await fixture.sql.query('update account_limits set concurrent_jobs = 1 where account_id = $1', [account]);
    await refusal(fixture.leases.claimJob({ jobId: ids[1], workerId: 'w' }), 'NOT_CLAIMABLE');
    assert.deepEqual(await countersOf(account), {
      queued: 1,
      dispatched: 0,
      processing: 1,
      completed: 0,
      failed: 0,
    });
    await fixture.leases.completeJob({
      jobId: ids[0],
      fence: first.fence,
      ...anOutcome(ids[0], first.fence),
    });
    await fixture.leases.claimJob({ jobId: ids[1], workerId: 'w' });
  });

  // Covers D-2.2 D-2.6
  test('a retryable failure is retried after a pause, three times in all, and the job stays processing', async () => {
    const account = newAccount();
    const jobId = await fixture.create(account);
    const error = { code: 'SOURCE_UNREACHABLE', message: 'The source refused the connection.' };
    for (const attempt of [1, 2]) {
      const claim = await fixture.leases.claimJob({ jobId, workerId: 'w' });
      assert.equal(claim.attempt, attempt);
      await fixture.leases.failJob({ jobId, fence: claim.fence, error, retryable: true });
      assert.equal((await fixture.read(account, jobId)).status, JobStatus.PROCESSING);
      await refusal(fixture.leases.claimJob({ jobId, workerId: 'w' }), 'NOT_CLAIMABLE');
      assert.equal((await reapNow()).offeredAgain, 0, 'the pause is not over');
      await expirePause(jobId);
      assert.equal((await reapNow()).offeredAgain, 1);
    }
    const last = await fixture.leases.claimJob({ jobId, workerId: 'w' });
    await fixture.leases.failJob({ jobId, fence: last.fence, error, retryable: true });
    const failed = await fixture.read(account, jobId);
    assert.equal(failed.status, JobStatus.FAILED);
    assert.equal(failed.error?.code, 'SOURCE_UNREACHABLE');
    assert.equal(failed.completedAt, undefined);
    assert.ok(failed.failedAt && failed.createdAt);
    assert.ok(timestampMs(failed.failedAt) >= timestampMs(failed.createdAt));
    assert.deepEqual(await countersOf(account), {
      queued: 0,
      dispatched: 0,
      processing: 0,
      completed: 0,
      failed: 1,
    });
  });

  // Covers D-2.4
  test('a failure that is not retryable ends the job at once', async () => {
    const account = newAccount();
    const jobId = await fixture.create(account);
    const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'w' });
    const error = { code: 'UNSUPPORTED_MEDIA', message: 'This is a web page, not audio.' };
    await fixture.leases.failJob({ jobId, fence, error, retryable: false });
    const job = await fixture.read(account, jobId);
    assert.equal(job.error?.code, 'UNSUPPORTED_MEDIA');
    assert.equal(job.error?.message, 'This is a web page, not audio.');
  });

  // Covers D-2.2 D-2.11
  test('a job whose worker disappears three times fails with INTERNAL_ERROR', async () => {
    const account = newAccount();
    const jobId = await fixture.create(account);
    for (let attempt = 1; attempt <= 3; attempt++) {
      await fixture.leases.claimJob({ jobId, workerId: 'w' });
      await expireLease(jobId);
      await reapNow();
    }
    assert.equal((await fixture.read(account, jobId)).error?.code, 'INTERNAL_ERROR');
  });

  test('a worker that shuts down releases its job at once, and the attempt does not count', async () => {
    const account = newAccount();
    const jobId = await fixture.create(account);
    for (let round = 0; round < 5; round++) {
      const claim = await fixture.leases.claimJob({ jobId, workerId: 'w' });
      assert.equal(claim.attempt, 1);
      await fixture.leases.releaseJob({ jobId, fence: claim.fence });
    }
    await until(
      () => lines(jobId).filter((line) => line.startsWith('requested')).length === 6,
      'offered anew each time',
    );
    assert.equal((await fixture.read(account, jobId)).status, JobStatus.PROCESSING);
  });

  // Covers D-2.3
  test('TIMED_OUT: after its wall-clock limit the lease is lost and the reaper ends the job', async () => {
    const account = newAccount();
    const jobId = await fixture.create(account);
    const { fence } = await fixture.leases.claimJob({ jobId, workerId: 'w' });
    await fixture.sql.query("update jobs set deadline_at = now() - interval '1 second' where id = $1", [
      jobId,
    ]);
    await refusal(fixture.leases.renewLease({ jobId, fence, progressPercent: 50 }), 'LEASE_LOST');
    await expireLease(jobId);
    assert.equal((await reapNow()).failed, 1);
    assert.equal((await fixture.read(account, jobId)).error?.code, 'TIMED_OUT');
  });

  test('a job that has been offered for long is offered again, because its event may be lost', async () => {
    const jobId = await fixture.create(newAccount());
    await until(() => lines(jobId).length === 1, 'offered');
    await fixture.sql.query("update jobs set dispatched_at = now() - interval '10 minutes' where id = $1", [
      jobId,
    ]);
    assert.equal((await reapNow()).offeredAgain, 1);
    assert.equal((await reapNow()).offeredAgain, 0, 'once is enough');
  });

  test('creations succeed while the bus is down, and their events are published when it returns', async () => {
    fixture.bus.failing = true;
    const account = newAccount();
    const jobId = await fixture.create(account);
    assert.deepEqual(lines(jobId), []);
    fixture.bus.failing = false;
    await until(() => lines(jobId).length === 1, 'the outbox drains');
  });

  const lines = (jobId: string) => describeEvents(fixture.events()).filter((line) => line.endsWith(jobId));
});
