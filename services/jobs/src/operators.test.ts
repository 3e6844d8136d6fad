import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createCaller } from '@audiosplit/chassis/rpc/client';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { testKeysOf } from '@audiosplit/chassis/testing/identities';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import type { Process } from '@audiosplit/proto/callers';
import { JobsOperatorService, StuckReason } from '@audiosplit/proto/jobs/v1/operators';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { startJobsFixture } from './jobs.fixture.ts';
import { divisionInto } from './parts/parts.fixture.ts';

describe('the queue for operators', () => {
  const fixture = forSuite(() => startJobsFixture({ concurrentJobs: 2 }));

  const clientOf = (process: Process) =>
    createCaller({ ...fixture.context, keys: testKeysOf(process) }).client(
      JobsOperatorService,
      fixture.address,
    );
  const operator = () => clientOf('operator');
  const claim = (jobId: string, workerId: string) => fixture.leases.claimJob({ jobId, workerId });
  const age = (table: string, column: string, jobId: string, seconds: number) =>
    fixture.sql.query(
      `update ${table} set ${column} = now() - $2 * interval '1 second'
       where ${table === 'jobs' ? 'id' : 'job_id'} = $1 and ${column} is not null`,
      [jobId, seconds],
    );

  test('is not available to the gateway or to accounts', async () => {
    for (const service of ['gateway', 'splitter', 'billing'] as const) {
      await refusal(clientOf(service).getQueue({}), 'UNAUTHORIZED');
      await refusal(clientOf(service).listWorkers({}), 'UNAUTHORIZED');
      await refusal(clientOf(service).listStuckJobs({}), 'UNAUTHORIZED');
    }
    await refusal(operator().getQueue({}, fixture.as('acc_any')), 'UNAUTHORIZED');
  });

  test('is empty without jobs', async () => {
    const queue = await operator().getQueue({});
    assert.deepEqual([queue.queued, queue.processing, queue.runnable, queue.accounts], [0n, 0n, 0n, []]);
    const { workers, leases, leaseCount } = await operator().listWorkers({});
    assert.deepEqual([workers, leases, leaseCount], [[], [], 0n]);
    assert.deepEqual((await operator().listStuckJobs({})).jobs, []);
  });

  test('shows its depth and age, and the accounts of the jobs', async () => {
    const old = await fixture.create('acc_old');
    for (let n = 0; n < 3; n += 1) await fixture.create('acc_full');
    await age('jobs', 'created_at', old, 300);
    const queue = await operator().getQueue({});
    assert.deepEqual([queue.queued, queue.processing, queue.runnable], [4n, 0n, 3n]);
    assert.deepEqual(
      queue.accounts.map(({ accountId, queued, offered, concurrentJobs }) => [
        accountId,
        queued,
        offered,
        concurrentJobs,
      ]),
      [
        ['acc_old', 1n, 1n, 2],
        ['acc_full', 3n, 2n, 2],
      ],
    );
    const [{ oldestQueuedAt } = {}] = queue.accounts;
    assert.ok(queue.now && oldestQueuedAt);
    const waitedMs = timestampDate(queue.now).getTime() - timestampDate(oldestQueuedAt).getTime();
    assert.ok(waitedMs >= 300_000 && waitedMs < 330_000, String(waitedMs));
  });

  test('shows the leases of each worker, including parts', async () => {
    const whole = await fixture.create('acc_whole');
    await claim(whole, 'splitter-b');
    const divided = await fixture.create('acc_divided');
    const { fence } = await claim(divided, 'splitter-a');
    await fixture.leases.divideJob({ jobId: divided, fence, ...divisionInto(3) });
    await fixture.leases.claimPart({ jobId: divided, workerId: 'splitter-a' });
    const part = await fixture.leases.claimPart({ jobId: divided, workerId: 'splitter-b' });
    await fixture.leases.renewLease({
      jobId: divided,
      part: part.part,
      fence: part.fence,
      progressPercent: 40,
    });

    const { now, workers, leases, leaseCount } = await operator().listWorkers({});
    assert.deepEqual(
      workers.map((worker) => [worker.workerId, worker.leaseCount]),
      [
        ['splitter-a', 1],
        ['splitter-b', 2],
      ],
    );
    assert.equal(leaseCount, 3n);
    const ofPart = leases.find((lease) => lease.part === part.part);
    assert.deepEqual(
      [ofPart?.jobId, ofPart?.accountId, ofPart?.workerId, ofPart?.fence, ofPart?.attempt],
      [divided, 'acc_divided', 'splitter-b', part.fence, 1],
    );
    assert.equal(ofPart?.progressPercent, 40);
    const ofJob = leases.find((lease) => lease.jobId === whole);
    assert.ok(now && ofJob?.leaseUntil && ofJob.deadlineAt && ofJob.part === undefined);
    assert.ok(timestampDate(ofJob.leaseUntil) > timestampDate(now));
    assert.ok(timestampDate(ofJob.deadlineAt) > timestampDate(ofJob.leaseUntil));
  });

  test('shows only stalled jobs, with the reason', async () => {
    const dead = await fixture.create('acc_dead');
    await claim(dead, 'gone');
    await age('jobs', 'lease_until', dead, 90);
    const ignored = await fixture.create('acc_ignored');
    await age('jobs', 'dispatched_at', ignored, 120);
    const overdue = await fixture.create('acc_overdue');
    const { fence } = await claim(overdue, 'slow');
    await fixture.leases.divideJob({ jobId: overdue, fence, ...divisionInto(2) });
    const { part } = await fixture.leases.claimPart({ jobId: overdue, part: 0, workerId: 'slow' });
    await age('jobs', 'deadline_at', overdue, 60);
    await age('job_parts', 'lease_until', overdue, 30);
    const young = await fixture.create('acc_young');
    await claim(young, 'well');

    const { jobs } = await operator().listStuckJobs({});
    assert.deepEqual(
      jobs.map((job) => [job.jobId, job.part, job.reason]),
      [
        [ignored, undefined, StuckReason.NOT_TAKEN],
        [dead, undefined, StuckReason.LEASE_OVER],
        [overdue, undefined, StuckReason.TIME_OVER],
        [overdue, part, StuckReason.LEASE_OVER],
      ],
    );
    assert.deepEqual(
      jobs.map(({ attempts }) => attempts),
      [0, 1, 1, 1],
    );
  });
});
