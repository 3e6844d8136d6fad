/** Compares totals and pages with the table of jobs, after random histories. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { TOPICS } from '@audiosplit/proto/topics';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import type { JobStatus } from '../job.ts';
import { anOutcome, aSplit, startJobsFixture } from '../jobs.fixture.ts';
import { countJobsOfOldAccounts } from '../queue/count-jobs.ts';
import { type JobQuery, listJobs } from '../store/read/list-jobs.ts';

const STATUSES = ['queued', 'processing', 'completed', 'failed'] as const;
const COUNTERS = ['queued', 'dispatched', 'processing', 'completed', 'failed'] as const;

type Step =
  | { readonly kind: 'create' | 'claim' | 'complete' | 'fail' | 'cancel' | 'delete'; readonly nth: number }
  | { readonly kind: 'age'; readonly nth: number; readonly hours: number }
  | { readonly kind: 'close' | 'reopen' | 'purge' };

const nth = fc.nat(50);
const aStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('create' as const), nth }) },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'claim' as const,
        'complete' as const,
        'fail' as const,
        'cancel' as const,
        'delete' as const,
      ),
      nth,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('age' as const), nth, hours: fc.integer({ min: 1, max: 4 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('close' as const, 'reopen' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge' as const) }) },
);

describe('counters', () => {
  let accounts = 0;
  const fixture = forSuite(() => startJobsFixture({ concurrentJobs: 3 }));

  async function take(accountId: string, step: Step): Promise<void> {
    const { jobs, leases, as, bus, sql } = fixture;
    const account = as(accountId);
    const deliver = (payload: Parameters<typeof bus.deliver>[1] & object) =>
      bus.deliver(TOPICS.accounts, {
        id: `evt_${accountId}_${Math.random()}`,
        accountId,
        occurredAt: timestampFromDate(new Date()),
        ...payload,
      });
    const pick = async (place: number, status?: JobStatus) => {
      const { rows } = await sql.query<{ id: string; fence: number }>(
        `select id, fence::float8 from jobs where account_id = $1 and ($2::text is null or status = $2)
           and (status <> 'queued' or $2 is null or dispatched_at is not null) order by id`,
        [accountId, status ?? null],
      );
      return rows[place % Math.max(1, rows.length)];
    };
    switch (step.kind) {
      case 'create':
        await jobs.createJob(aSplit(), account).catch(ignoreRefusal);
        return;
      case 'claim': {
        const job = await pick(step.nth, 'queued');
        if (job !== undefined) await leases.claimJob({ jobId: job.id, workerId: 'w' }).catch(ignoreRefusal);
        return;
      }
      case 'complete': {
        const job = await pick(step.nth, 'processing');
        if (job === undefined) return;
        const fence = BigInt(job.fence);
        await leases.completeJob({ jobId: job.id, fence, ...anOutcome(job.id, fence) });
        return;
      }
      case 'fail': {
        const job = await pick(step.nth, 'processing');
        if (job === undefined) return;
        const error = { code: 'UNSUPPORTED_MEDIA', message: 'no audio' };
        await leases.failJob({ jobId: job.id, fence: BigInt(job.fence), error, retryable: false });
        return;
      }
      case 'cancel': {
        const job = await pick(step.nth);
        if (job !== undefined) await jobs.cancelJob({ jobId: job.id }, account).catch(ignoreRefusal);
        return;
      }
      case 'delete': {
        const job = await pick(step.nth);
        if (job !== undefined) await jobs.deleteJob({ jobId: job.id }, account).catch(ignoreRefusal);
        return;
      }
      case 'age': {
        const job = await pick(step.nth);
        await sql.query(
          `update jobs set created_at = created_at - $2 * interval '1 hour',
             completed_at = completed_at - $2 / 2 * interval '1 hour' where id = $1`,
          [job?.id, step.hours],
        );
        return;
      }
      case 'close':
        return deliver({ payload: { case: 'accountDeletionRequested', value: {} } });
      case 'reopen':
        return deliver({ payload: { case: 'accountRestored', value: {} } });
      case 'purge':
        return deliver({ payload: { case: 'accountPurged', value: {} } });
      default:
        return step satisfies never;
    }
  }

  async function assertCounted(accountId: string): Promise<void> {
    const { sql } = fixture;
    const { rows: counters } = await sql.query(
      `select ${COUNTERS.map((name) => `coalesce(sum(${name}), 0)::int as ${name}`).join()} from account_queues
       where account_id = $1`,
      [accountId],
    );
    const { rows: counted } = await sql.query(
      `select ${STATUSES.map((name) => `count(*) filter (where status = '${name}')::int as ${name}`).join()},
         count(*) filter (where status = 'queued' and dispatched_at is not null)::int as dispatched
       from jobs where account_id = $1`,
      [accountId],
    );
    assert.deepEqual({ ...counters[0] }, { ...pickCounters(counted[0]) });
    const { rows: spans } = await sql.query(
      `select span, extract(epoch from start)::int as start, created, completed, failed, completions
       from job_counts where account_id = $1 and (created, completed, failed, completions) <> (0, 0, 0, 0) order by span, start`,
      [accountId],
    );
    assert.deepEqual(spans, await countedSpans(accountId));
  }

  async function countedSpans(accountId: string): Promise<unknown[]> {
    const { rows } = await fixture.sql.query(
      `select span, start, sum(created)::int as created, sum(completed)::int as completed, sum(failed)::int as failed,
         sum(completions)::int as completions
       from jobs, (values ('day', 86400), ('hour', 3600)) as spans (span, seconds), lateral (values
         (floor(extract(epoch from created_at) / seconds)::int * seconds, 1, (status = 'completed')::int, (status = 'failed')::int, 0),
         (floor(extract(epoch from completed_at) / seconds)::int * seconds, 0, 0, 0, 1)
       ) as counted (start, created, completed, failed, completions)
       where account_id = $1 and start is not null group by span, start order by span, start`,
      [accountId],
    );
    return rows;
  }

  test('match the table after every step of any history', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(aStep, { minLength: 10, maxLength: 30 }), async (steps) => {
        accounts += 1;
        const accountId = `acc_history_${accounts}`;
        for (const step of steps) {
          await take(accountId, step);
          await assertCounted(accountId);
        }
      }),
      { numRuns: 15 },
    );
  });

  test('match the table after concurrent changes of the jobs of one account', async () => {
    const accountId = 'acc_at_once';
    const steps: Step[] = Array.from({ length: 60 }, (_, place) => ({
      kind: (['create', 'create', 'claim', 'complete', 'cancel', 'delete'] as const)[place % 6] ?? 'create',
      nth: place,
    }));
    await Promise.all(steps.map((step) => take(accountId, step).catch(ignoreRefusal)));
    await assertCounted(accountId);
  });

  test('of an older account are computed while its jobs are created and deleted', async () => {
    const { sql } = fixture;
    const accountId = 'acc_from_before';
    for (const kind of ['create', 'claim', 'complete', 'create', 'create'] as const) {
      await take(accountId, { kind, nth: 0 });
    }
    // As the migration leaves it: existing jobs are not counted.
    await sql.query('delete from job_counts where account_id = $1', [accountId]);
    await sql.query('update account_queues set jobs_counted = false where account_id = $1', [accountId]);
    await take(accountId, { kind: 'delete', nth: 1 });
    assert.equal((await listJobs(sql, { ...EVERYTHING, accountId, offset: 0 })).jobs.length, 2);
    const coming = Promise.all(
      Array.from({ length: 10 }, (_, place) =>
        take(accountId, { kind: place % 3 === 0 ? 'cancel' : 'create', nth: place }),
      ),
    );
    await Promise.all([countJobsOfOldAccounts(sql), coming]);
    await assertCounted(accountId);
  });

  test('of other accounts are computed even if one account fails', async () => {
    const { sql } = fixture;
    const [bad, good] = ['acc_old_bad', 'acc_old_good'];
    for (const accountId of [bad, good]) await take(accountId, { kind: 'create', nth: 0 });
    await sql.query(`create function refuse_bad() returns trigger language plpgsql as
      $$ begin raise exception 'damaged'; end $$`);
    await sql.query(`create trigger refuse_bad before insert on job_counts for each row
      when (new.account_id = '${bad}') execute function refuse_bad()`);
    await sql.query('update account_queues set jobs_counted = false where account_id = any($1)', [
      [bad, good],
    ]);
    await assert.rejects(countJobsOfOldAccounts(sql), /jobs of 1 accounts/);
    await assertCounted(good);
    await sql.query('drop function refuse_bad cascade');
    await countJobsOfOldAccounts(sql);
    await assertCounted(bad);
  });
});

const EVERYTHING: Omit<JobQuery, 'accountId' | 'offset'> = {
  status: undefined,
  sortBy: 'createdAt',
  ascending: false,
  limit: 100,
};

describe('pages', () => {
  const fixture = forSuite(startJobsFixture);
  before(async () => {
    // Some 60 hours with 1 to 119 jobs each, many of them at the same moment.
    await fixture.sql.query(
      `insert into jobs (id, account_id, status, source_url, split_mode, segment_duration_seconds, created_at, completed_at, error_code)
       select 'job_' || md5(n::text), 'acc_pages', status, 'https://example.com', 'duration', 1, created_at,
         case status when 'completed' then created_at + (n * 37 % 9000) * interval '1 second' end,
         case status when 'failed' then 'INTERNAL_ERROR' end
       from generate_series(1, 3600) n,
         lateral (select '2026-03-01Z'::timestamptz + floor(sqrt(n)) * interval '1 hour' + (n % 7) * interval '1 second',
           case when n > 3590 then 'queued' when n > 3587 then 'processing' when n % 3 = 0 then 'failed' else 'completed' end
         ) as made (created_at, status)`,
    );
    await fixture.sql.query(
      `insert into account_queues (account_id, queued, processing, completed, failed)
       select account_id, count(*) filter (where status = 'queued'), count(*) filter (where status = 'processing'),
         count(*) filter (where status = 'completed'), count(*) filter (where status = 'failed')
       from jobs group by account_id`,
    );
  });

  async function idsInOrder({ status, sortBy, ascending }: Omit<JobQuery, 'accountId' | 'offset'>) {
    const direction = ascending ? 'asc' : 'desc';
    const byCompletion = sortBy === 'completedAt' && (status === undefined || status === 'completed');
    const { rows } = await fixture.sql.query<{ id: string }>(
      `select id from jobs where account_id = 'acc_pages' and ($1::text is null or status = $1)
       order by ${byCompletion ? `completed_at ${direction} nulls last` : `created_at ${direction}`}, id ${direction}`,
      [status ?? null],
    );
    return rows.map(({ id }) => id);
  }

  // Covers I-4.4.3 I-4.4.5
  for (const isCounted of [true, false]) {
    test(`contain the same jobs as a plain offset, ${isCounted ? 'by days and hours' : 'before they are counted'}`, async () => {
      await fixture.sql.query('update account_queues set jobs_counted = $1', [isCounted]);
      for (const status of [undefined, ...STATUSES]) {
        for (const sortBy of ['createdAt', 'completedAt'] as const) {
          for (const ascending of [true, false]) {
            const order = { status, sortBy, ascending, limit: 97 };
            const expected = await idsInOrder(order);
            // The first page of a usual size is another statement.
            const first = await listJobs(fixture.sql, {
              ...order,
              accountId: 'acc_pages',
              limit: 20,
              offset: 0,
            });
            assert.deepEqual(
              first.jobs.map(({ id }) => id),
              expected.slice(0, 20),
            );
            assert.equal(Number(first.total), expected.length);
            for (let offset = 0; offset < expected.length + 200; offset += 97) {
              const page = await listJobs(fixture.sql, { ...order, accountId: 'acc_pages', offset });
              assert.deepEqual(
                page.jobs.map(({ id }) => id),
                expected.slice(offset, offset + 97),
                JSON.stringify({ ...order, offset }),
              );
              assert.equal(Number(page.total), expected.length);
            }
          }
        }
      }
    });
  }

  test('of an account without jobs are empty', async () => {
    for (const offset of [0, 5_000]) {
      const page = await listJobs(fixture.sql, { ...EVERYTHING, accountId: 'acc_nobody', offset });
      assert.deepEqual({ ...page, total: Number(page.total) }, { jobs: [], total: 0 });
    }
  });
});

/** A refusal by the service in a random history is no change; any other error fails the test. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof Error) || /internal|unknown/i.test(error.message)) throw error;
}

function pickCounters(row: Record<string, number> | undefined): Record<string, number | undefined> {
  return Object.fromEntries(COUNTERS.map((name) => [name, row?.[name]]));
}
