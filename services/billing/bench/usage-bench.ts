/**
 * Measures what billing adds to a job (two quota reads and the counting), for an account with many jobs in the current
 * period beside many accounts, and for one without jobs in a database of its own.
 *
 *   npm run bench -- usage [--jobs 100000] [--accounts 0] [--samples 400]
 *
 * Needs TEST_DATABASE_URL, a server on which it may create two databases, which it drops at the end. Samples alternate.
 * The goal is a ratio of their medians; a miss exits with 1.
 */
import { parseArgs } from 'node:util';
import { newId } from '@audiosplit/chassis/ids';
import { openPool, type Pool } from '@audiosplit/chassis/postgres/pool';
import { createLogger } from '@audiosplit/chassis/process/log';
import { formatMs, formatRows, type Row } from '@audiosplit/chassis/testing/bench-table';
import { latencyOf, timed } from '@audiosplit/chassis/testing/latency';
import { createTestDatabase } from '@audiosplit/chassis/testing/test-database';
import { EventSchema } from '@audiosplit/proto/events/v1/events';
import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { readAccountState } from '../src/account-state.ts';
import type { BillingDependencies } from '../src/billing-dependencies.ts';
import { handleEvent } from '../src/events.ts';
import { setPaymentMethod } from '../src/payment/change-payment-method.ts';
import { createSandboxProvider } from '../src/payment/sandbox.ts';
import { BILLING_MIGRATIONS_DIR, BILLING_SCHEMA } from '../src/schema.ts';
import { subscribe } from '../src/subscription/change-subscription.ts';
import { readQuota } from '../src/usage/quota.ts';
import { currentTerms } from '../src/usage/usage-report.ts';

const GOAL_RATIO = 1.2;
const WARM_UP = 50;
/** Jobs per transaction. Bounded, because dead versions of the updated row accumulate until its end. */
const BATCH = 1_000;
/** In the middle of a month and of a day. */
const NOW = new Date('2026-03-14T09:26:53Z');
const SUBSCRIBED_AT = new Date('2026-03-04T15:00:00Z');

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '100000' },
    accounts: { type: 'string', default: '0' },
    samples: { type: 'string', default: '400' },
  },
});
const accounts = Number(values.accounts);
const jobs = Number(values.jobs);
const samples = Number(values.samples);
const progress = (line: string) => void process.stderr.write(`${line}\n`);

await using stack = new AsyncDisposableStack();

async function openDatabase(): Promise<Pool> {
  const { url } = stack.use(
    await createTestDatabase([{ schema: BILLING_SCHEMA, migrationsDir: BILLING_MIGRATIONS_DIR }]),
  );
  const onError = (error: Error) => progress(`a connection broke: ${error.message}`);
  return stack.adopt(openPool({ url, schema: BILLING_SCHEMA, maxConnections: 2, onError }), (opened) =>
    opened.end(),
  );
}

interface Account {
  readonly pool: Pool;
  readonly accountId: string;
}

async function makeAccount(pool: Pool, isSubscribed: boolean, jobsSoFar: number): Promise<Account> {
  const accountId = newId('acc');
  if (isSubscribed) {
    const dependencies: BillingDependencies = {
      pool,
      provider: createSandboxProvider(),
      clock: () => SUBSCRIBED_AT,
      wakeRelay: () => {},
      queueAdvance: () => {},
      queueDetach: () => {},
      queueForget: () => {},
    };
    await setPaymentMethod(dependencies, accountId, 'tok_visa');
    await subscribe(dependencies, accountId, 'plan_starter');
  }
  const begun = isSubscribed ? SUBSCRIBED_AT : new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth()));
  for (let first = 1; first <= jobsSoFar; first += BATCH) {
    await pool.query(
      `insert into job_usage (job_id, account_id, status, finished_at, counted_at, source_duration_ms, stored_bytes)
       select $1 || n, $1, 'completed', at, at, 2000, 0
       from (select n, $2::timestamptz + ($3::timestamptz - $2::timestamptz) * n / $4 as at
             from generate_series($5::bigint, $6::bigint) n) made`,
      [accountId, begun, NOW, jobsSoFar, first, Math.min(jobsSoFar, first + BATCH - 1)],
    );
  }
  return { pool, accountId };
}

/** Each has completed a job in this month. */
async function makeOtherAccounts(pool: Pool): Promise<void> {
  for (let first = 1; first <= accounts; first += BATCH) {
    await pool.query(
      `insert into job_usage (job_id, account_id, status, finished_at, counted_at, source_duration_ms, stored_bytes)
       select 'job_' || n, 'acc_' || n, 'completed', $1, $1, 2000, 0 from generate_series($2::bigint, $3::bigint) n`,
      [NOW, first, Math.min(accounts, first + BATCH - 1)],
    );
  }
}

async function askQuota({ pool, accountId }: Account): Promise<void> {
  await readQuota(pool, accountId, [], NOW);
}

async function countJob({ pool, accountId }: Account): Promise<void> {
  const value = {
    jobId: newId('job'),
    status: 'completed',
    completedAt: timestampFromDate(NOW),
    sourceDurationMs: 2_000n,
  };
  const event = create(EventSchema, { accountId, payload: { case: 'splitStatusChanged', value } });
  await handleEvent({ pool, openStore, log, queueForget: () => {}, wakeRelay: () => {} }, event, NOW);
}

/** The cost of each read without stored sums. */
async function sumJobs({ pool, accountId }: Account): Promise<void> {
  const { start, end } = currentTerms(await readAccountState(pool, accountId), NOW).period;
  await pool.query(
    `select sum(source_duration_ms) filter (where status = 'completed'), count(*) from job_usage
     where account_id = $1 and counted_at >= $2 and counted_at < $3`,
    [accountId, start, end],
  );
}

const openStore = () => Promise.reject(new Error('nothing is purged here'));
const log = createLogger('usage-bench', 'error', process.stderr);

async function compare(
  measure: string,
  [idle, busy]: readonly [Account, Account],
  work: (account: Account) => Promise<void>,
): Promise<Row> {
  const times = new Map<Account, number[]>([
    [idle, []],
    [busy, []],
  ]);
  for (let n = -WARM_UP; n < samples; n++) {
    for (const account of n % 2 === 0 ? [idle, busy] : [busy, idle]) {
      const [tookMs] = await timed(() => work(account));
      if (n >= 0) times.get(account)?.push(tookMs);
    }
  }
  const [none, many] = [idle, busy].map((account) => latencyOf(times.get(account) ?? []).p50Ms);
  const ratio = (many ?? Number.NaN) / (none ?? Number.NaN);
  const summed: number[] = [];
  for (let n = 0; n < 20; n++) {
    const [tookMs] = await timed(() => sumJobs(busy));
    summed.push(tookMs);
  }
  const cells = [
    formatMs(none ?? 0),
    formatMs(many ?? 0),
    ratio.toFixed(2),
    formatMs(latencyOf(summed).p50Ms),
  ];
  return { measure, cells, goal: `ratio ≤ ${GOAL_RATIO}`, isMet: ratio <= GOAL_RATIO };
}

const [emptyDatabase, fullDatabase] = [await openDatabase(), await openDatabase()];
progress(`${accounts.toLocaleString('en')} other accounts`);
await makeOtherAccounts(fullDatabase);
const rows: Row[] = [];
for (const [name, isSubscribed] of [
  ['Free', false],
  ['Starter', true],
] as const) {
  progress(`${name}: ${jobs.toLocaleString('en')} jobs`);
  const compared = [
    await makeAccount(emptyDatabase, isSubscribed, 0),
    await makeAccount(fullDatabase, isSubscribed, jobs),
  ] as const;
  // As autovacuum would leave the tables.
  for (const { pool } of compared) {
    for (const table of ['job_usage', 'usage_counts']) await pool.query(`vacuum analyze ${table}`);
  }
  rows.push(await compare(`${name}: quota asked for`, compared, askQuota));
  rows.push(await compare(`${name}: job counted`, compared, countJob));
  rows.push(
    await compare(`${name}: both, as a job does`, compared, async (account) => {
      await askQuota(account);
      await askQuota(account);
      await countJob(account);
    }),
  );
}
const titles = ['none, p50 ms', `${jobs.toLocaleString('en')} jobs`, 'ratio', 'summed anew'];
process.stdout.write(`${formatRows(titles, rows)}\n`);
if (rows.some(({ isMet }) => isMet === false)) process.exitCode = 1;
