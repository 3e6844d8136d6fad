/** Claims reserve minutes, so that concurrent jobs together cannot exceed their account's limit. */
import assert from 'node:assert/strict';
import { beforeEach, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { refusal } from '@audiosplit/chassis/testing/refusal';
import { fromCutFields } from '@audiosplit/proto/cut';
import { type Job, JobStatus } from '@audiosplit/proto/jobs/v1/jobs';
import { TOPICS } from '@audiosplit/proto/topics';
import { anOutcome, aSplit, startJobsFixture } from '../jobs.fixture.ts';
import { divisionInto, segmentsOf } from '../parts/parts.fixture.ts';

const MINUTE_MS = 60_000;
/** At 32 kbit/s: 45 minutes. */
const SOURCE_BYTES = 45 * MINUTE_MS * 4;

describe('reserved minutes', () => {
  const fixture = forSuite(() => startJobsFixture({ concurrentJobs: 3, sourceSizeBytes: SOURCE_BYTES }));
  beforeEach(() => {
    const { billing } = fixture;
    billing.limits = { ...billing.limits, overageAllowed: false, spendLimitReached: false };
    billing.quotaLeftMs = 60 * MINUTE_MS;
    billing.spendableMs = undefined;
    billing.counted.clear();
    billing.saysWhatIsCounted = true;
    billing.beforeQuota = async () => {};
  });

  let accounts = 0;
  /** An account for which billing returns the fixture's values. */
  async function newAccount() {
    const accountId = `acc_minutes_${++accounts}`;
    const { jobs, leases, sql } = fixture;
    const as = () => fixture.as(accountId);
    await fixture.bus.deliver(TOPICS.accounts, {
      id: `evt_${accountId}`,
      accountId,
      payload: { case: 'accountLimitsChanged', value: { limits: fixture.billing.limits } },
    });
    const claim = (jobId: string) => leases.claimJob({ jobId, workerId: 'w', supportsPlans: true });
    const outcomeOf = (jobId: string, fence: bigint, minutes: number) => ({
      ...anOutcome(jobId, fence),
      sourceDurationMs: BigInt(minutes * MINUTE_MS),
    });
    return {
      accountId,
      claim,
      create: async (split = aSplit()) => (await jobs.createJob(split, as())).job?.id ?? '',
      reserve: async (jobId: string, fence: bigint, minutes: number) =>
        (await leases.reserveMinutes({ jobId, fence, neededMs: BigInt(minutes * MINUTE_MS) })).granted,
      complete: (jobId: string, fence: bigint, minutes: number) =>
        leases.completeJob({ jobId, fence, ...outcomeOf(jobId, fence, minutes) }),
      fail: (jobId: string, fence: bigint) =>
        leases.failJob({
          jobId,
          fence,
          error: { code: 'UNSUPPORTED_MEDIA', message: 'no' },
          retryable: false,
        }),
      async read(jobId: string): Promise<Job> {
        const { job } = await jobs.getJob({ jobId }, as());
        assert.ok(job);
        return job;
      },
      remove: (jobId: string) => jobs.deleteJob({ jobId }, as()),
      cancel: (jobId: string) => jobs.cancelJob({ jobId }, as()),
      /**
       * The minutes that each of its unfinished jobs holds, the oldest first; undefined for those without a
       * worker.
       */
      async held(): Promise<(number | undefined)[]> {
        const { rows } = await sql.query<{ ms: string | null }>(
          "select reserved_ms as ms from jobs where account_id = $1 and status in ('queued', 'processing') order by created_at, id",
          [accountId],
        );
        return rows.map(({ ms }) => (ms === null ? undefined : Number(ms) / MINUTE_MS));
      },
      async offers(): Promise<string[]> {
        const { rows } = await sql.query<{ id: string }>(
          `select id from jobs where account_id = $1 and status in ('queued', 'processing')
             and dispatched_at is not null and lease_until is null order by created_at, id`,
          [accountId],
        );
        return rows.map(({ id }) => id);
      },
    };
  }

  // Covers B-10.1
  test('are estimated from the size of a source at first, then set to its length', async () => {
    const ada = await newAccount();
    const first = await ada.create();
    const { fence, maxSourceDurationMs, reservesMinutes } = await ada.claim(first);
    assert.deepEqual([maxSourceDurationMs, reservesMinutes], [BigInt(60 * MINUTE_MS), true]);
    assert.deepEqual(await ada.held(), [45]);
    assert.ok(await ada.reserve(first, fence, 10));
    assert.deepEqual(await ada.held(), [10]);
    // 45 of the remaining 50.
    await ada.claim(await ada.create());
    assert.deepEqual(await ada.held(), [10, 45]);
  });

  // Covers B-10.1
  test('are at most what other jobs leave, and all of that if the size is unknown', async () => {
    await using own = await startJobsFixture({ overageAllowed: false, quotaLeftMs: 60 * MINUTE_MS });
    const { job } = await own.jobs.createJob(aSplit(), own.as('acc_unknown'));
    await own.leases.claimJob({ jobId: job?.id ?? '', workerId: 'w' });
    const { rows } = await own.sql.query('select reserved_ms from jobs');
    assert.equal(Number(rows[0]?.reserved_ms), 60 * MINUTE_MS);
    const ada = await newAccount();
    for (const _ of ['one', 'and another']) await ada.claim(await ada.create());
    assert.deepEqual(await ada.held(), [45, 15]);
  });

  // Covers B-10.3
  test('do not count at a creation, which is judged by settled minutes', async () => {
    fixture.billing.quotaLeftMs = 10 * MINUTE_MS;
    const ada = await newAccount();
    await ada.claim(await ada.create());
    assert.deepEqual(await ada.held(), [10]);
    assert.equal((await ada.read(await ada.create())).status, JobStatus.QUEUED);
  });

  // Covers B-10.2
  test('for the last minutes go to one of two concurrent claims, and the other job waits', async () => {
    fixture.billing.quotaLeftMs = 45 * MINUTE_MS;
    const ada = await newAccount();
    const ids = [await ada.create(), await ada.create()];
    const claims = await Promise.allSettled(ids.map((id) => ada.claim(id)));
    const taken = claims.flatMap((claim, index) => (claim.status === 'fulfilled' ? [index] : []));
    assert.equal(taken.length, 1);
    const [winner = 0] = taken;
    const [won = '', waiting = ''] = winner === 0 ? ids : ids.toReversed();
    assert.equal((await ada.read(waiting)).status, JobStatus.QUEUED);
    assert.deepEqual(await ada.offers(), []);
    const claim = claims[winner];
    assert.ok(claim?.status === 'fulfilled');
    await ada.complete(won, claim.value.fence, 30);
    // It is offered as soon as the minutes are settled, and the remaining jobs do not hold it back.
    assert.deepEqual(await ada.offers(), [waiting]);
    const next = await ada.claim(waiting);
    assert.equal(next.maxSourceDurationMs, BigInt(15 * MINUTE_MS));
    assert.equal(await ada.reserve(waiting, next.fence, 15.1), false);
    assert.equal((await ada.read(waiting)).error?.code, 'QUOTA_EXCEEDED');
  });

  test('a job that proves longer than the minutes left waits, and its attempt is not counted', async () => {
    const ada = await newAccount();
    const [first, second] = [await ada.create(), await ada.create()];
    const one = await ada.claim(first);
    assert.ok(await ada.reserve(first, one.fence, 40));
    fixture.billing.quotaLeftMs = 90 * MINUTE_MS;
    const two = await ada.claim(second);
    fixture.billing.quotaLeftMs = 60 * MINUTE_MS;
    assert.equal(await ada.reserve(second, two.fence, 50), false);
    assert.deepEqual(await ada.held(), [40, undefined]);
    assert.equal((await ada.read(second)).status, JobStatus.PROCESSING);
    await refusal(ada.reserve(second, two.fence, 1), 'LEASE_LOST');
    // A late event changes nothing, and nothing overtakes it.
    await refusal(ada.claim(second), 'NOT_CLAIMABLE');
    const third = await ada.create();
    assert.deepEqual(await ada.offers(), []);
    await ada.fail(first, one.fence);
    assert.deepEqual(await ada.offers(), [second, third]);
    const again = await ada.claim(second);
    assert.equal(again.attempt, 1);
    assert.deepEqual(await ada.held(), [50, undefined]);
    await ada.complete(second, again.fence, 50);
    assert.equal((await ada.read(second)).status, JobStatus.COMPLETED);
  });

  // Covers B-10.2
  test('a job that can never fit fails, regardless of other reservations', async () => {
    const ada = await newAccount();
    const [first, second] = [await ada.create(), await ada.create()];
    const one = await ada.claim(first);
    await ada.reserve(first, one.fence, 5);
    const two = await ada.claim(second);
    assert.equal(await ada.reserve(second, two.fence, 61), false);
    const { status, error } = await ada.read(second);
    assert.deepEqual([status, error?.code], [JobStatus.FAILED, 'QUOTA_EXCEEDED']);
    assert.match(error?.message ?? '', /left of this period's 60 minutes/);
    assert.deepEqual(await ada.held(), [5]);
  });

  for (const [end, act] of [
    ['canceled', (ada, id) => ada.cancel(id)],
    ['failed', (ada, id, fence) => ada.fail(id, fence)],
    ['handed back', (_ada, jobId, fence) => fixture.leases.releaseJob({ jobId, fence })],
    [
      'tried again later',
      (_ada, jobId, fence) =>
        fixture.leases.failJob({ jobId, fence, error: { code: 'X', message: 'x' }, retryable: true }),
    ],
    [
      'left by a worker that died',
      async (_ada, jobId) => {
        await fixture.sql.query("update jobs set lease_until = now() - interval '1 s' where id = $1", [
          jobId,
        ]);
        await fixture.runTask('reap');
      },
    ],
  ] as const satisfies readonly (readonly [
    string,
    (ada: Awaited<ReturnType<typeof newAccount>>, jobId: string, fence: bigint) => Promise<unknown>,
  ])[]) {
    // Covers B-1.6
    test(`are returned by a job that is ${end}`, async () => {
      fixture.billing.quotaLeftMs = 45 * MINUTE_MS;
      const ada = await newAccount();
      const [first, second] = [await ada.create(), await ada.create()];
      const { fence } = await ada.claim(first);
      await refusal(ada.claim(second), 'NOT_CLAIMABLE');
      await act(ada, first, fence);
      assert.ok((await ada.offers()).includes(second));
      await ada.claim(second);
      assert.equal((await ada.held()).at(-1), 45);
    });
  }

  test('of a completed job are neither lost nor counted twice until billing has counted them', async () => {
    const ada = await newAccount();
    const first = await ada.create();
    const { fence } = await ada.claim(first);
    await ada.complete(first, fence, 40);
    // Also if the job itself is deleted.
    await ada.remove(first);
    const second = await ada.create();
    const uncounted = await ada.claim(second);
    assert.equal(uncounted.maxSourceDurationMs, BigInt(20 * MINUTE_MS));
    await ada.fail(second, uncounted.fence);
    fixture.billing.counted.set(first, 40 * MINUTE_MS);
    for (const _ of ['once', 'and when it is known']) {
      const next = await ada.create();
      const claimed = await ada.claim(next);
      assert.equal(claimed.maxSourceDurationMs, BigInt(20 * MINUTE_MS));
      await ada.fail(next, claimed.fence);
    }
  });

  test('of a job that completes and is counted while billing answers another claim are used once', async () => {
    const ada = await newAccount();
    const [first, second] = [await ada.create(), await ada.create()];
    const one = await ada.claim(first);
    await ada.reserve(first, one.fence, 10);
    let isBefore = true;
    fixture.billing.beforeQuota = async () => {
      if (!isBefore) return;
      isBefore = false;
      await ada.complete(first, one.fence, 10);
      fixture.billing.counted.set(first, 10 * MINUTE_MS);
    };
    const two = await ada.claim(second);
    assert.equal(two.maxSourceDurationMs, BigInt(50 * MINUTE_MS));
    assert.deepEqual(await ada.held(), [45]);
  });

  // Covers B-10.4
  test('allow no completion beyond the quota, for any length that a splitter has reported before', async () => {
    const ada = await newAccount();
    const [first, second] = [await ada.create(), await ada.create()];
    const one = await ada.claim(first);
    await ada.reserve(first, one.fence, 15);
    const two = await ada.claim(second);
    // By a process of an earlier release, which does not report it: 60 minutes and a second together.
    await refusal(ada.complete(second, two.fence, 45 + 1 / 60), 'LEASE_LOST');
    assert.deepEqual(await ada.held(), [15, undefined]);
    await ada.complete(first, one.fence, 15);
    await refusal(ada.claim(second), 'NOT_CLAIMABLE');
    assert.equal((await ada.read(second)).error?.code, 'QUOTA_EXCEEDED');
  });

  test('of a divided job stay reserved until its last part is finished', async () => {
    const ada = await newAccount();
    const jobId = await ada.create();
    const { fence } = await ada.claim(jobId);
    await fixture.leases.divideJob({ jobId, fence, ...divisionInto(2) });
    assert.deepEqual(await ada.held(), [45]);
    for (const part of [0, 1]) {
      const claimed = await fixture.leases.claimPart({ jobId, part, workerId: 'w' });
      const segments = segmentsOf(jobId, claimed);
      await fixture.leases.completePart({ jobId, part, fence: claimed.fence, segments });
    }
    assert.deepEqual(await ada.held(), []);
    assert.equal((await ada.claim(await ada.create())).maxSourceDurationMs, BigInt(56 * MINUTE_MS));
  });

  test('of a planned cut count its pieces, and a dry run reserves none', async () => {
    const ada = await newAccount();
    const cut = fromCutFields({ splitMode: 'duration', segmentDuration: 60, dryRun: true });
    const dry = await ada.claim(await ada.create({ request: { ...aSplit().request, cut } }));
    assert.deepEqual([dry.reservesMinutes, dry.maxSourceDurationMs], [false, undefined]);
    const planned = await ada.create({
      request: {
        ...aSplit().request,
        cut: fromCutFields({ splitMode: 'ranges', ranges: [{ start: 0, end: 60 }] }),
      },
    });
    const { fence } = await ada.claim(planned);
    await ada.reserve(planned, fence, 1);
    await fixture.leases.completeJob({
      jobId: planned,
      fence,
      ...anOutcome(planned, fence),
      sourceDurationMs: BigInt(600 * MINUTE_MS),
      meteredMs: BigInt(MINUTE_MS),
    });
    assert.equal((await ada.claim(await ada.create())).maxSourceDurationMs, BigInt(59 * MINUTE_MS));
  });

  // Covers B-12.5
  test('SPEND_LIMIT_REACHED: a job whose minutes would exceed the spend limit fails before it is encoded', async () => {
    const { limits } = fixture.billing;
    fixture.billing.limits = { ...limits, overageAllowed: true, spendLimitCents: 9_000n };
    fixture.billing.spendableMs = 50 * MINUTE_MS;
    const ada = await newAccount();
    const jobId = await ada.create();
    const { fence, maxSourceDurationMs } = await ada.claim(jobId);
    // Its size shows that it is shorter, so the engine does not need to count.
    assert.equal(maxSourceDurationMs, undefined);
    assert.equal(await ada.reserve(jobId, fence, 51), false);
    const { error } = await ada.read(jobId);
    assert.equal(error?.code, 'SPEND_LIMIT_REACHED');
    assert.match(error?.message ?? '', /spend limit of \$90\.00/);
    fixture.billing.spendableMs = 0;
    const next = await ada.create();
    await refusal(ada.claim(next), 'NOT_CLAIMABLE');
    assert.equal((await ada.read(next)).error?.code, 'SPEND_LIMIT_REACHED');
  });

  // Covers B-12.4 B-1.8
  test('SPEND_LIMIT_REACHED at creation, if billing confirms it', async () => {
    const { billing } = fixture;
    billing.limits = {
      ...billing.limits,
      overageAllowed: true,
      spendLimitReached: true,
      spendLimitCents: 9_000n,
    };
    const ada = await newAccount();
    const { publicMessage } = await refusal(ada.create(), 'SPEND_LIMIT_REACHED');
    assert.match(publicMessage, /^The account's spend limit of \$90\.00 /);
    billing.limits = { ...billing.limits, spendLimitReached: false, revision: billing.limits.revision + 1n };
    await ada.create();
  });

  test('are not reserved with overage and no limit, or while billing is unavailable', async () => {
    fixture.billing.limits = { ...fixture.billing.limits, overageAllowed: true };
    const ada = await newAccount();
    assert.equal((await ada.claim(await ada.create())).reservesMinutes, false);
    fixture.billing.spendableMs = 0;
    fixture.billing.beforeQuota = () => Promise.reject(new Error('billing is away'));
    assert.equal((await ada.claim(await ada.create())).reservesMinutes, false);
  });

  test('trust an earlier release of billing, which does not report what it has counted', async () => {
    fixture.billing.saysWhatIsCounted = false;
    const ada = await newAccount();
    const first = await ada.create();
    const { fence } = await ada.claim(first);
    await ada.complete(first, fence, 10);
    fixture.billing.counted.set(first, 10 * MINUTE_MS);
    assert.equal((await ada.claim(await ada.create())).maxSourceDurationMs, BigInt(50 * MINUTE_MS));
  });

  test('a claim does not wait for another transaction that settles the same jobs', async () => {
    const ada = await newAccount();
    const first = await ada.create();
    const { fence } = await ada.claim(first);
    await ada.complete(first, fence, 10);
    fixture.billing.counted.set(first, 10 * MINUTE_MS);
    const next = await ada.create();
    const other = await fixture.sql.connect();
    try {
      await other.query('begin');
      await other.query('select from unsettled_usage where job_id = $1 for update', [first]);
      await ada.claim(next);
    } finally {
      await other.query('rollback');
      other.release();
    }
  });

  test('the reaper dispatches an account whose jobs would otherwise keep waiting', async () => {
    fixture.billing.quotaLeftMs = 45 * MINUTE_MS;
    const ada = await newAccount();
    const [first, second] = [await ada.create(), await ada.create()];
    const { fence } = await ada.claim(first);
    await refusal(ada.claim(second), 'NOT_CLAIMABLE');
    // As a process of an earlier release ends it.
    await fixture.sql.query(
      `update jobs set status = 'failed', error_code = 'X', lease_until = null, worker_id = null where id = $1 and fence = $2`,
      [first, fence],
    );
    await fixture.runTask('reap');
    assert.deepEqual(await ada.offers(), [second]);
    await ada.claim(second);
  });
});
