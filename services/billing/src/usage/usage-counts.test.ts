/**
 * Compares the stored sums of usage with a sum over all jobs, after random histories: jobs counted in any order and
 * twice, periods that start and end anywhere, deleted jobs and accounts. USAGE_HISTORIES sets the number of histories.
 */
import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newId } from '@audiosplit/chassis/ids';
import { migrate } from '@audiosplit/chassis/postgres/migrate';
import {
  onlyRow,
  openPool,
  type Pool,
  type Queryable,
  withTransaction,
} from '@audiosplit/chassis/postgres/pool';
import { createTestDatabase, type TestDatabase } from '@audiosplit/chassis/testing/test-database';
import fc from 'fast-check';
import { BILLING_MIGRATIONS_DIR, BILLING_SCHEMA } from '../schema.ts';
import { deleteAllOf } from '../store/accounts.ts';
import { cutUsage, insertJobUsage, type JobUsage, listDayUsage, sumUsage } from '../store/usage.ts';
import type { UsageTotals } from './usage.ts';
import type { UsagePeriod } from './usage-period.ts';

const HISTORIES = Number(process.env.USAGE_HISTORIES ?? 40);
const FIRST = Date.UTC(2026, 2, 13);
const DAY_MS = 86_400_000;

/** Few instants, so that cuts, counts and queries coincide. */
const time = fc
  .tuple(fc.nat(4), fc.constantFrom(0, 1, 43_200_000, DAY_MS - 1), fc.integer({ min: -2, max: 2 }))
  .map(([day, within, ms]) => new Date(FIRST + day * DAY_MS + within + ms));
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('count' as const),
      job: fc.nat(30),
      countedAt: time,
      end: fc.constantFrom('completed', 'completed', 'failed', 'canceled'),
      sourceDurationMs: fc.nat(100_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('change' as const),
      job: fc.nat(30),
      countedAt: time,
      end: fc.constantFrom('completed', 'failed', 'canceled'),
      sourceDurationMs: fc.nat(100_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('cut' as const), at: time, isOld: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), jobs: fc.array(fc.nat(30)) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge' as const), isOld: fc.boolean() }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
const period = fc
  .tuple(time, time)
  .map(
    ([one, other]): UsagePeriod => (one < other ? { start: one, end: other } : { start: other, end: one }),
  );

const statusOf = (end: string): Pick<JobUsage, 'status' | 'canceled'> => ({
  status: end === 'completed' ? 'completed' : 'failed',
  canceled: end === 'canceled',
});

/** Executes the cut of a version without canceled jobs. */
async function cutAsBefore(db: Queryable, accountId: string, at: Date): Promise<void> {
  await db.query(
    `insert into usage_counts (account_id, from_at, until_at, source_duration_ms, jobs_completed, jobs_failed)
     select $1::text, day, day + interval '24 hours', 0, 0, 0
     from (select date_trunc('day', $2::timestamptz, 'UTC') as day) cut
     where not exists (
       select from usage_counts
       where account_id = $1 and from_at >= day and from_at < day + interval '24 hours')`,
    [accountId, at],
  );
  await db.query(
    `with later as (
       insert into usage_counts (account_id, from_at, until_at, source_duration_ms, jobs_completed, jobs_failed)
       select $1::text, $2::timestamptz, until_at, part.* from usage_counts stretch cross join lateral (
         select coalesce(sum(source_duration_ms) filter (where status = 'completed'), 0)::bigint as source_duration_ms,
           count(*) filter (where status = 'completed') as jobs_completed,
           count(*) filter (where status = 'failed') as jobs_failed
         from job_usage
         where account_id = $1 and counted_at >= $2 and counted_at < stretch.until_at
       ) part
       where account_id = $1 and from_at > $2::timestamptz - interval '24 hours' and from_at < $2 and until_at > $2
       returning *
     )
     update usage_counts stretch
     set until_at = $2, source_duration_ms = stretch.source_duration_ms - later.source_duration_ms,
       jobs_completed = stretch.jobs_completed - later.jobs_completed,
       jobs_failed = stretch.jobs_failed - later.jobs_failed
     from later
     where stretch.account_id = $1 and stretch.until_at = later.until_at and stretch.from_at < $2`,
    [accountId, at],
  );
}

describe('counted usage', () => {
  let database: TestDatabase;
  let pool: Pool;
  before(async () => {
    database = await createTestDatabase([{ schema: BILLING_SCHEMA, migrationsDir: BILLING_MIGRATIONS_DIR }]);
    pool = openBillingPool(database);
  });
  after(async () => {
    await pool.end();
    await database[Symbol.asyncDispose]();
  });

  /** Sums all jobs of the account. */
  async function sumJobs(of: Pool, accountId: string, { start, end }: UsagePeriod): Promise<UsageTotals> {
    const { rows } = await of.query<Pick<JobUsage, 'status' | 'canceled' | 'sourceDurationMs'>>(
      `select status, canceled, source_duration_ms as "sourceDurationMs" from job_usage
       where account_id = $1 and counted_at >= $2 and counted_at < $3`,
      [accountId, start, end],
    );
    const completed = rows.filter(({ status }) => status === 'completed');
    return {
      sourceDurationMs: completed.reduce((sum, { sourceDurationMs }) => sum + sourceDurationMs, 0),
      jobsCompleted: completed.length,
      jobsFailed: rows.length - completed.length,
      jobsCanceled: rows.filter(({ canceled }) => canceled).length,
    };
  }

  async function assertExact(of: Pool, accountId: string, periods: readonly UsagePeriod[]): Promise<void> {
    for (const each of periods) {
      const totals = await sumJobs(of, accountId, each);
      assert.deepEqual(await sumUsage(of, accountId, each), totals);
      const days = await listDayUsage(of, accountId, each);
      for (const { day, ...counted } of days) {
        const start = new Date(Math.max(day.getTime(), each.start.getTime()));
        const end = new Date(Math.min(day.getTime() + DAY_MS, each.end.getTime()));
        assert.deepEqual(counted, await sumJobs(of, accountId, { start, end }));
      }
      const onDays = days.reduce((sum, { jobsCompleted, jobsFailed }) => sum + jobsCompleted + jobsFailed, 0);
      assert.equal(onDays, totals.jobsCompleted + totals.jobsFailed);
    }
  }

  async function take(of: Pool, accountId: string, taken: Step): Promise<void> {
    const jobId = (job: number) => `${accountId}_${job}`;
    switch (taken.kind) {
      case 'count': {
        const { job, countedAt, end, sourceDurationMs } = taken;
        const usage = { accountId, ...statusOf(end), countedAt, finishedAt: countedAt, sourceDurationMs };
        return insertJobUsage(of, { ...usage, jobId: jobId(job), storedBytes: 0 });
      }
      case 'change': {
        const { job, countedAt, end, sourceDurationMs } = taken;
        const { status, canceled } = statusOf(end);
        await of.query(
          `update job_usage set counted_at = $2, status = $3, canceled = $4, source_duration_ms = $5
           where job_id = $1`,
          [jobId(job), countedAt, status, canceled, sourceDurationMs],
        );
        return;
      }
      case 'cut':
        return taken.isOld ? cutAsBefore(of, accountId, taken.at) : cutUsage(of, accountId, taken.at);
      case 'remove':
        await of.query('delete from job_usage where job_id = any($1)', [taken.jobs.map(jobId)]);
        return;
      case 'purge': {
        // A version without stored sums deletes only the jobs.
        if (taken.isOld) await of.query('delete from job_usage where account_id = $1', [accountId]);
        else await deleteAllOf(of, accountId);
        return;
      }
      default:
        return taken satisfies never;
    }
  }

  it(`equals the sum over all jobs (${HISTORIES})`, async () => {
    const history = fc.tuple(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      fc.array(period, { maxLength: 6 }),
    );
    await fc.assert(
      fc.asyncProperty(history, async ([steps, periods]) => {
        const accountId = newId('acc');
        const whole = { start: new Date(FIRST - DAY_MS), end: new Date(FIRST + 9 * DAY_MS) };
        for (const taken of steps) {
          await take(pool, accountId, taken);
          await assertExact(pool, accountId, [whole]);
          if (taken.kind === 'purge' && !taken.isOld) assert.equal(await countsOf(accountId), 0);
        }
        await assertExact(pool, accountId, periods);
      }),
      { numRuns: HISTORIES },
    );
  });

  const countsOf = async (accountId: string) =>
    (await pool.query('select from usage_counts where account_id = $1', [accountId])).rowCount;

  it('reads no job if sums exist for the start and end of the period', async () => {
    const accountId = newId('acc');
    const [start, end] = [new Date(FIRST + 1_000), new Date(FIRST + DAY_MS + 1_000)];
    for (const [job, ms] of [0, 500, 1_000, DAY_MS, DAY_MS + 999, DAY_MS + 1_000].entries()) {
      const countedAt = new Date(FIRST + ms);
      await take(pool, accountId, {
        kind: 'count',
        job,
        countedAt,
        end: 'completed',
        sourceDurationMs: 7,
      });
      if (job === 2) for (const at of [start, end]) await cutUsage(pool, accountId, at);
    }
    assert.equal((await sumUsage(pool, accountId, { start, end })).jobsCompleted, 3);
    // Deletes only the jobs, without the triggers.
    const client = await pool.connect();
    try {
      await client.query('begin');
      await client.query('alter table job_usage disable trigger user');
      await client.query('delete from job_usage where account_id = $1', [accountId]);
      assert.equal((await sumUsage(client, accountId, { start, end })).jobsCompleted, 3);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });

  it('follows a job to another account, and is empty once the jobs are truncated', async () => {
    const [from, to] = [newId('acc'), newId('acc')];
    const whole = { start: new Date(FIRST), end: new Date(FIRST + 9 * DAY_MS) };
    await insertJobs(from, { jobs: 6, days: 3 });
    await pool.query('update job_usage set account_id = $2 where job_id = $1', [`${from}_1`, to]);
    for (const accountId of [from, to]) await assertExact(pool, accountId, [whole]);
    assert.equal((await sumUsage(pool, to, whole)).jobsCompleted, 1);
    await pool.query('truncate job_usage');
    for (const accountId of [from, to]) await assertExact(pool, accountId, [whole]);
  });

  it('of a purged account is deleted before its jobs, so deleting them changes no sum', async () => {
    const accountId = newId('acc');
    await insertJobs(accountId, { jobs: 20, days: 10 });
    await withTransaction(pool, async (client) => {
      const before = await readChanges(client);
      await deleteAllOf(client, accountId);
      const after = await readChanges(client);
      assert.deepEqual([after.updated - before.updated, after.deleted - before.deleted], [0, 10]);
    });
  });

  /** Reads the changes of the sums on this connection; changes of earlier transactions may be among them. */
  const readChanges = async (client: Queryable) =>
    onlyRow(
      await client.query<{ updated: number; deleted: number }>(
        `select n_tup_upd as updated, n_tup_del as deleted from pg_stat_xact_user_tables
         where relid = 'usage_counts'::regclass`,
      ),
    );

  it('reads few rows for each job that a version without sums deletes', async () => {
    const accountId = newId('acc');
    const jobs = 2_000;
    await insertJobs(accountId, { jobs, days: 200 });
    const rows = await countRowsRead(pool, 'delete from job_usage where account_id = $1', [accountId]);
    assert.ok(rows > jobs && rows < 20 * jobs, `${rows} rows`);
  });

  async function insertJobs(
    accountId: string,
    { jobs, days }: { readonly jobs: number; readonly days: number },
  ): Promise<void> {
    await pool.query(
      `insert into job_usage (job_id, account_id, status, finished_at, counted_at, source_duration_ms, stored_bytes)
       select $1 || '_' || job, $1, 'completed', at, at, 7, 0
       from generate_series(1, $2::integer) job,
         lateral (select $4::timestamptz + job % $3 * interval '24 hours' as at) counted`,
      [accountId, jobs, days, new Date(FIRST)],
    );
  }

  it('is computed by the migration for earlier jobs, and split at periods', async () => {
    const migrationsDir = await mkdtemp(join(tmpdir(), 'audiosplit-billing-migrations-'));
    const later = (await readdir(BILLING_MIGRATIONS_DIR)).filter((name) => name >= '0008');
    try {
      await cp(BILLING_MIGRATIONS_DIR, migrationsDir, {
        recursive: true,
        filter: (path) => !later.some((name) => path.endsWith(name)),
      });
      await using old = await createTestDatabase([{ schema: BILLING_SCHEMA, migrationsDir }]);
      const oldPool = openBillingPool(old);
      try {
        const accountId = newId('acc');
        const [start, end] = [new Date(FIRST + 1_000), new Date(FIRST + 3 * DAY_MS + 1_000)];
        await oldPool.query('insert into accounts (account_id, limits_revision) values ($1, 0)', [accountId]);
        await oldPool.query(
          `insert into subscriptions (id, account_id, plan_id, status, anchor_at, period_number, current_period_start,
             current_period_end, base_cents)
           values ('sub_1', $1, 'plan_pro', 'active', $2, 0, $2, $3, 0)`,
          [accountId, start, end],
        );
        for (let job = 0; job < 40; job++) {
          // Executed by the version of that time.
          await oldPool.query(
            `insert into job_usage
               (job_id, account_id, status, finished_at, counted_at, source_duration_ms, stored_bytes)
             values ($1, $2, $3, $4, $4, $5, 0)`,
            [
              `${accountId}_${job}`,
              accountId,
              job % 5 === 0 ? 'failed' : 'completed',
              new Date(FIRST + job * 8_000_000),
              job,
            ],
          );
        }
        await migrate({ url: old.url, schema: BILLING_SCHEMA, migrationsDir: BILLING_MIGRATIONS_DIR });
        const { rows } = await oldPool.query<{ fromAt: Date }>(
          'select from_at as "fromAt" from usage_counts order by from_at',
        );
        assert.deepEqual(
          rows.map(({ fromAt }) => fromAt.getTime() - FIRST),
          [0, 1_000, DAY_MS, 2 * DAY_MS, 3 * DAY_MS, 3 * DAY_MS + 1_000],
        );
        const countedAt = new Date(FIRST + 2_000);
        await take(oldPool, accountId, {
          kind: 'count',
          job: 99,
          countedAt,
          end: 'completed',
          sourceDurationMs: 5,
        });
        const whole = { start: new Date(FIRST), end: new Date(FIRST + 9 * DAY_MS) };
        await assertExact(oldPool, accountId, [
          whole,
          { start, end },
          { start, end: new Date(FIRST + DAY_MS + 5) },
        ]);
      } finally {
        await oldPool.end();
      }
    } finally {
      await rm(migrationsDir, { recursive: true });
    }
  });
});

interface PlanNode {
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly 'Rows Removed by Join Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/**
 * Counts all steps of the plans of the statement and of its triggers' statements, from the server's
 * explanations.
 */
async function countRowsRead(of: Pool, sql: string, values: readonly unknown[]): Promise<number> {
  const client = await of.connect();
  const explained: string[] = [];
  const note = ({ message }: { readonly message?: string | undefined }) => explained.push(message ?? '');
  client.on('notice', note);
  try {
    await client.query(
      `begin; set local role none; load 'auto_explain'; set local auto_explain.log_min_duration = 0; set local auto_explain.log_level = notice;
       set local auto_explain.log_analyze = on; set local auto_explain.log_timing = off;
       set local auto_explain.log_nested_statements = on; set local auto_explain.log_format = json`,
    );
    await client.query(sql, [...values]);
  } finally {
    await client.query('rollback');
    client.off('notice', note);
    client.release();
  }
  const plans = explained.map((text) => JSON.parse(text.slice(text.indexOf('{'))) as { Plan: PlanNode });
  return plans.reduce((sum, { Plan }) => sum + rowsOf(Plan), 0);
}

function rowsOf(node: PlanNode): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Join Filter'] ?? 0);
  const own = (node['Actual Rows'] + removed) * node['Actual Loops'];
  return (node.Plans ?? []).reduce((sum, child) => sum + rowsOf(child), own);
}

function openBillingPool({ url }: TestDatabase): Pool {
  return openPool({ url, schema: BILLING_SCHEMA, maxConnections: 2, onError: () => undefined });
}
