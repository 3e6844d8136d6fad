/**
 * Everything that changes an account's jobs, concurrently and at random, on one account: no two statements
 * may deadlock, regardless of their locks.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onlyRow } from '@audiosplit/chassis/postgres/pool';
import { errorInfoOf } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { TOPICS } from '@audiosplit/proto/topics';
import { anOutcome, aSplit, startJobsFixture } from '../jobs.fixture.ts';
import { reap } from './reaper.ts';

const ACCOUNT = 'acc_crowded';
const WORKERS = 12;
const DEEDS_EACH = 60;
const MINUTE_MS = 60_000;
const REFUSALS = new Set([
  Reason.NOT_CLAIMABLE,
  Reason.LEASE_LOST,
  Reason.JOB_NOT_FOUND,
  Reason.JOB_ALREADY_PROCESSING,
  Reason.JOB_ALREADY_FINISHED,
]);

for (const isBounded of [false, true]) {
  test(`concurrent calls do not deadlock on an account ${isBounded ? 'with' : 'without'} a limit of its minutes`, async () => {
    await using fixture = await startJobsFixture({ concurrentJobs: 4, overageAllowed: !isBounded });
    const { jobs, leases, bus, billing, pool, sql } = fixture;
    const as = fixture.as(ACCOUNT);
    const created: string[] = [];
    const held: { readonly jobId: string; readonly fence: bigint }[] = [];
    const failures: unknown[] = [];
    let revision = 1n;
    const anyOf = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)];
    const onJob = (act: (jobId: string) => Promise<unknown>) => async () => {
      const jobId = anyOf(created);
      if (jobId !== undefined) await act(jobId);
    };
    const onLease = (act: (lease: (typeof held)[number]) => Promise<unknown>) => async () => {
      const lease = anyOf(held);
      if (lease !== undefined) await act(lease);
    };
    const error = { code: 'SOURCE_UNREACHABLE', message: 'Away.' };
    const create = async () => {
      created.push((await jobs.createJob(aSplit(), as)).job?.id ?? '');
    };
    const claim = onJob(async (jobId) => {
      const { fence } = await leases.claimJob({ jobId, workerId: 'w' });
      held.push({ jobId, fence });
    });
    const complete = onLease(({ jobId, fence }) =>
      leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) }),
    );
    const deeds: readonly (() => Promise<unknown>)[] = [
      create,
      create,
      create,
      claim,
      claim,
      claim,
      claim,
      complete,
      complete,
      onLease(({ jobId, fence }) => leases.renewLease({ jobId, fence, progressPercent: 5 })),
      onLease(({ jobId, fence }) =>
        leases.reserveMinutes({ jobId, fence, neededMs: BigInt(Math.ceil(Math.random() * MINUTE_MS)) }),
      ),
      onLease((lease) => leases.releaseJob(lease)),
      onLease((lease) => leases.failJob({ ...lease, error, retryable: Math.random() < 0.5 })),
      onJob((jobId) => jobs.cancelJob({ jobId }, as)),
      onJob((jobId) => jobs.deleteJob({ jobId }, as)),
      () => reap(pool, () => undefined),
      onJob((jobId) =>
        sql.query(
          "update jobs set lease_until = now() - interval '1 second' where id = $1 and lease_until is not null",
          [jobId],
        ),
      ),
      async () => {
        revision += 1n;
        const concurrentJobs = 1 + Math.floor(Math.random() * 5);
        billing.limits = { ...billing.limits, revision, concurrentJobs };
        const payload = { case: 'accountLimitsChanged' as const, value: { limits: billing.limits } };
        await bus.deliver(TOPICS.accounts, { id: `evt_${revision}`, accountId: ACCOUNT, payload });
      },
      async () => {
        for (const jobId of created) if (Math.random() < 0.5) billing.counted.set(jobId, 1_000);
      },
    ];
    await Promise.all(
      Array.from({ length: WORKERS }, async () => {
        for (let n = 0; n < DEEDS_EACH; n++) {
          await anyOf(deeds)?.().catch((failure: unknown) => {
            if (!REFUSALS.has(errorInfoOf(failure).reason)) failures.push(failure);
          });
        }
      }),
    );
    assert.deepEqual(failures, []);
    const { deadlocks } = onlyRow(
      await sql.query<{ deadlocks: string }>(
        'select deadlocks from pg_stat_database where datname = current_database()',
      ),
    );
    assert.equal(Number(deadlocks), 0);
    const { rows: drifted } = await sql.query(
      `select queue.*, counted.* from account_queues queue cross join (
         select count(*) filter (where status = 'queued')::int as queued,
           count(*) filter (where status = 'queued' and dispatched_at is not null)::int as dispatched,
           count(*) filter (where status = 'processing')::int as processing,
           count(*) filter (where status = 'completed') as completed, count(*) filter (where status = 'failed') as failed
         from jobs) counted
       where (queue.queued, queue.dispatched, queue.processing, queue.completed, queue.failed)
         is distinct from (counted.queued, counted.dispatched, counted.processing, counted.completed, counted.failed)`,
    );
    assert.deepEqual(drifted, [], 'the counters are those of the rows');
  });
}
