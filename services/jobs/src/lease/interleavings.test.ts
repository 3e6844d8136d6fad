/**
 * Random interleavings of all actions of accounts, workers, the clock and the reaper on jobs, several at a
 * time, on a real Postgres. The invariants are checked after every step. At the end the splitters' queue is
 * worked off, only from its events, and every job must end.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errorInfoOf } from '@audiosplit/chassis/rpc/errors';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { until } from '@audiosplit/chassis/testing/until';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { TOPICS } from '@audiosplit/proto/topics';
import fc from 'fast-check';
import { anOutcome, aSplit, type JobsFixture, startJobsFixture } from '../jobs.fixture.ts';
import { reap } from './reaper.ts';

const TIME_LIMIT_MS = 6_000;
const INITIAL_CAP = 2;
const EXPECTED_REFUSALS = new Set([
  Reason.NOT_CLAIMABLE,
  Reason.LEASE_LOST,
  Reason.JOB_NOT_FOUND,
  Reason.JOB_ALREADY_PROCESSING,
  Reason.JOB_ALREADY_FINISHED,
]);

const CALLS = ['renew', 'complete', 'fail', 'failForGood', 'release'] as const;
const DEEDS = ['strayClaim', 'cancel', 'delete', 'expireLease', 'passDeadline'] as const;

/** `pick` chooses among the candidates when the action runs. */
type Action =
  | { readonly kind: 'create'; readonly account: number }
  | { readonly kind: 'limit'; readonly account: number; readonly cap: number }
  | { readonly kind: 'reap' }
  | { readonly kind: 'takeEvent' | (typeof CALLS)[number] | (typeof DEEDS)[number]; readonly pick: number };

const account = fc.nat({ max: 1 });
const pick = fc.nat();
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('create' as const), account }) },
  { weight: 7, arbitrary: fc.record({ kind: fc.constant('takeEvent' as const), pick }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom(...CALLS), pick }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom(...DEEDS), pick }) },
  { weight: 3, arbitrary: fc.constant({ kind: 'reap' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('limit' as const),
      account,
      cap: fc.integer({ min: 1, max: 3 }),
    }),
  },
);
const steps = fc.array(fc.array(action, { minLength: 1, maxLength: 3 }), { minLength: 10, maxLength: 40 });

interface Held {
  readonly jobId: string;
  readonly fence: bigint;
}

describe('random interleavings', () => {
  const fixture = forSuite(() => startJobsFixture({ concurrentJobs: INITIAL_CAP }));

  // Covers D-2.1 D-2.13 D-2.16
  test('counters, caps, fences and segments are correct at every step, and every job ends', async () => {
    let runs = 0;
    const details = await fc.check(
      fc.asyncProperty(steps, (batches) => runOnce(fixture, ++runs, batches)),
      { numRuns: 1_000, interruptAfterTimeLimit: TIME_LIMIT_MS, endOnFailure: true },
    );
    assert.ok(!details.failed, fc.defaultReportMessage(details) ?? '');
    assert.ok(runs > 1);
  });
});

async function runOnce(fixture: JobsFixture, run: number, batches: readonly Action[][]) {
  const scene = new Scene(fixture, run);
  for (const batch of batches) {
    const before = await scene.look();
    const knownFences = new Map(scene.newestFence);
    const accepted = await Promise.all(batch.map((one) => scene.act(one)));
    for (const call of accepted) {
      const newest = call && knownFences.get(call.jobId);
      assert.ok(
        !call || newest === undefined || call.fence >= newest,
        'a call with an old fence was accepted',
      );
    }
    await scene.settle();
    await scene.check(before);
  }
  await scene.drain();
}

interface View {
  readonly caps: readonly number[];
  readonly running: readonly number[];
  readonly committed: readonly number[];
}

class Scene {
  readonly newestFence = new Map<string, bigint>();
  readonly #fixture: JobsFixture;
  readonly #accounts: readonly string[];
  readonly #caps = [INITIAL_CAP, INITIAL_CAP];
  readonly #jobs: { readonly jobId: string; readonly account: number }[] = [];
  readonly #held: Held[] = [];
  readonly #completions = new Map<string, bigint>();
  #revision = 1;
  #pending: string[] = [];
  #eventsSeen: number;

  constructor(fixture: JobsFixture, run: number) {
    this.#fixture = fixture;
    this.#accounts = [`acc_${run}_a`, `acc_${run}_b`];
    this.#eventsSeen = fixture.bus.published.length;
  }

  /** Resolves with the fence of an accepted call. */
  async act(one: Action): Promise<Held | undefined> {
    try {
      return await this.#perform(one);
    } catch (error) {
      if (EXPECTED_REFUSALS.has(errorInfoOf(error).reason)) return undefined;
      throw error;
    }
  }

  async #perform(one: Action): Promise<Held | undefined> {
    const { jobs, leases, sql } = this.#fixture;
    switch (one.kind) {
      case 'create': {
        const { job } = await jobs.createJob(aSplit(), this.#as(one.account));
        this.#jobs.push({ jobId: job?.id ?? '', account: one.account });
        return undefined;
      }
      case 'limit':
        this.#caps[one.account] = one.cap;
        return void (await this.#tellLimit(this.#accounts[one.account] ?? '', one.cap, ++this.#revision));
      case 'reap':
        return void (await reap(this.#fixture.pool, () => undefined));
      case 'takeEvent': {
        const [jobId] = this.#pending.splice(one.pick % Math.max(1, this.#pending.length), 1);
        if (jobId !== undefined) await this.#claim(jobId);
        return undefined;
      }
      case 'renew':
      case 'complete':
      case 'fail':
      case 'failForGood':
      case 'release': {
        const held = this.#held[one.pick % this.#held.length];
        if (held === undefined) return undefined;
        const error = { code: 'SOURCE_UNREACHABLE', message: 'Away.' };
        if (one.kind === 'renew') await leases.renewLease({ ...held, progressPercent: one.pick % 100 });
        else if (one.kind === 'complete') await this.#complete(held);
        else if (one.kind === 'release') await leases.releaseJob(held);
        else await leases.failJob({ ...held, error, retryable: one.kind === 'fail' });
        return held;
      }
      case 'strayClaim':
      case 'cancel':
      case 'delete':
      case 'expireLease':
      case 'passDeadline': {
        const job = this.#jobs[one.pick % this.#jobs.length];
        if (job === undefined) return undefined;
        const { jobId } = job;
        if (one.kind === 'strayClaim') await this.#claim(jobId);
        else if (one.kind === 'cancel') await jobs.cancelJob({ jobId }, this.#as(job.account));
        else if (one.kind === 'delete') await jobs.deleteJob({ jobId }, this.#as(job.account));
        else if (one.kind === 'expireLease') await sql.query(EXPIRE_LEASES, [[jobId]]);
        else await sql.query(PASS_DEADLINE, [jobId]);
        return undefined;
      }
      default:
        return one satisfies never;
    }
  }

  async #claim(jobId: string): Promise<Held> {
    const { fence } = await this.#fixture.leases.claimJob({
      jobId,
      workerId: `worker-${this.#held.length % 3}`,
    });
    const newest = this.newestFence.get(jobId) ?? 0n;
    assert.notEqual(fence, newest, 'two claims got the same fence');
    this.newestFence.set(jobId, fence > newest ? fence : newest);
    const held = { jobId, fence };
    this.#held.push(held);
    return held;
  }

  async #complete({ jobId, fence }: Held): Promise<void> {
    await this.#fixture.leases.completeJob({ jobId, fence, ...anOutcome(jobId, fence) });
    assert.equal(this.#completions.get(jobId) ?? fence, fence, 'a job was completed twice');
    this.#completions.set(jobId, fence);
  }

  #as(index: number) {
    return this.#fixture.as(this.#accounts[index] ?? '');
  }

  async #tellLimit(accountId: string, cap: number, revision: number): Promise<void> {
    const limits = {
      planId: 'plan_free',
      concurrentJobs: cap,
      maxFileSizeBytes: 1_000_000n,
      overageAllowed: true,
      revision: BigInt(revision),
    };
    await this.#fixture.bus.deliver(TOPICS.accounts, {
      accountId,
      payload: { case: 'accountLimitsChanged', value: { limits } },
    });
  }

  /** Waits until everything decided so far is on the bus, and records new split requests. */
  async settle(): Promise<void> {
    const { sql, bus } = this.#fixture;
    // An event of an account without jobs: it only wakes the relay.
    await this.#tellLimit('acc_bystander', 1, 1);
    await until(
      async () => (await sql.query('select from outbox limit 1')).rowCount === 0,
      'the outbox drains',
    );
    const events = this.#fixture.events().slice(this.#eventsSeen);
    this.#eventsSeen = bus.published.length;
    for (const { payload } of events)
      if (payload.case === 'splitRequested') this.#pending.push(payload.value.jobId);
  }

  async look(): Promise<View> {
    const { rows } = await this.#fixture.sql.query(
      'select account_id, processing, dispatched from account_queues where account_id = any($1)',
      [this.#accounts],
    );
    const ofAccounts = this.#accounts.map(
      (id) => rows.find((row) => row.account_id === id) ?? { processing: 0, dispatched: 0 },
    );
    return {
      caps: [...this.#caps],
      running: ofAccounts.map((row) => row.processing),
      committed: ofAccounts.map((row) => row.processing + row.dispatched),
    };
  }

  async check(before: View): Promise<void> {
    const { sql } = this.#fixture;
    const drifted = await sql.query(DRIFTED_COUNTERS, [this.#accounts]);
    assert.deepEqual(drifted.rows, [], 'the counters are those of the rows');
    const incomplete = await sql.query(INCOMPLETE_JOBS, [this.#accounts]);
    assert.deepEqual(incomplete.rows, [], 'a completed job has all segments, of one fence');
    const now = await this.look();
    for (const [index, id] of this.#accounts.entries()) {
      const cap = Math.max(before.caps[index] ?? 0, now.caps[index] ?? 0);
      // Above a lowered cap the numbers may only fall.
      for (const what of ['running', 'committed'] as const) {
        const bound = Math.max(cap, before[what][index] ?? 0);
        assert.ok((now[what][index] ?? 0) <= bound, `${now[what][index]} ${what} of ${id}, beyond ${bound}`);
      }
    }
  }

  /**
   * Every worker dies once; from then on splitters consume events, and complete the jobs that they can claim.
   */
  async drain(): Promise<void> {
    const { sql } = this.#fixture;
    for (let round = 0; round < 2 * this.#jobs.length + 5; round++) {
      const { rows } = await sql.query<{ id: string }>(
        "select id from jobs where account_id = any($1) and status in ('queued', 'processing')",
        [this.#accounts],
      );
      if (rows.length === 0) return;
      await sql.query(EXPIRE_LEASES, [rows.map((row) => row.id)]);
      await reap(this.#fixture.pool, () => undefined);
      await this.settle();
      const events = this.#pending;
      this.#pending = [];
      for (const jobId of events) {
        try {
          await this.#complete(await this.#claim(jobId));
        } catch (error) {
          if (!EXPECTED_REFUSALS.has(errorInfoOf(error).reason)) throw error;
        }
      }
      await this.settle();
      await this.check(await this.look());
    }
    const { rows: stuck } = await sql.query(
      "select * from jobs where account_id = any($1) and status in ('queued', 'processing')",
      [this.#accounts],
    );
    assert.deepEqual(stuck, [], 'jobs are stuck');
  }
}

const EXPIRE_LEASES = `update jobs set lease_until = now() - interval '1 second'
  where id = any($1) and lease_until is not null`;

const PASS_DEADLINE = `update jobs set deadline_at = now() - interval '1 second'
  where id = $1 and deadline_at is not null`;

const DRIFTED_COUNTERS = `
  with counted as (
    select account_id,
           count(*) filter (where status = 'queued')::int as queued,
           count(*) filter (where status = 'queued' and dispatched_at is not null)::int as dispatched,
           count(*) filter (where status = 'processing')::int as processing,
           count(*) filter (where status = 'completed')::int as completed,
           count(*) filter (where status = 'failed')::int as failed
    from jobs where account_id = any($1) group by account_id
  )
  select q.*, counted.* from account_queues q left join counted using (account_id)
  where q.account_id = any($1)
    and (q.queued, q.dispatched, q.processing, q.completed, q.failed) is distinct from
        (coalesce(counted.queued, 0), coalesce(counted.dispatched, 0), coalesce(counted.processing, 0),
         coalesce(counted.completed, 0)::bigint, coalesce(counted.failed, 0)::bigint)`;

const INCOMPLETE_JOBS = `
  select id, segment_count, stored.* from jobs
  left join lateral (
    select count(*)::int as segments, max(index) as last_index, sum(size_bytes)::int as bytes,
           count(*) filter (where object_key like 'jobs/' || id || '/' || fence || '/%')::int as of_fence
    from segments where job_id = id
  ) stored on true
  where account_id = any($1)
    and (case when status = 'completed'
           then (segment_count, segment_count - 1, stored_bytes, segment_count)
                is distinct from (segments, last_index, bytes::bigint, of_fence)
           else segments > 0 end)`;
