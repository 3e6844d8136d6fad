/**
 * Lists of an account with ten million jobs, compared with count(*) and offset on the same table. Then the way of a job through
 * the service, for that account and for one of a million others, compared with accounts in a database that is almost empty.
 *
 * npm run bench -- list [--jobs 10000000] [--accounts 1000000] [--samples 300]
 *
 * Needs TEST_DATABASE_URL, a server on which it may create two databases (about 900 bytes a job); they are dropped in the end.
 * Times are measured by the caller, one query at a time. A missed goal is marked, and the exit code is 1.
 */
import { parseArgs } from 'node:util';
import { openPool, type Pool } from '@audiosplit/chassis/postgres/pool';
import { formatMs, formatRows, type Row } from '@audiosplit/chassis/testing/bench-table';
import { latencyOf, timed } from '@audiosplit/chassis/testing/latency';
import pg from 'pg';
import type { JobStatus } from '../src/job.ts';
import { countJobsOfOldAccounts } from '../src/queue/count-jobs.ts';
import { JOBS_SCHEMA } from '../src/schema.ts';
import { JOB_COLUMNS } from '../src/store/job/job-row.ts';
import { type JobQuery, listJobs } from '../src/store/read/list-jobs.ts';
import { compareJobs, type Side } from './jobs-at-size.ts';
import { ACCOUNT_ID, makeManyJobs, otherAccountId, removePending, type Size } from './many-jobs.ts';
import { standInsOn } from './stand-ins.ts';

const LIMIT = 20;
const NAIVE_SAMPLES = 3;
const WARM_UP = 20;
const FIRST_PAGE_GOAL_MS = 1;
const DEEP_PAGE_GOAL_MS = 6;
const ACCOUNTS_ALONE = 100;

interface Case {
  readonly name: string;
  readonly status?: JobStatus;
  readonly sortBy?: JobQuery['sortBy'];
  readonly ascending?: boolean;
  /** The start of the page, as a share of all jobs in the list, from 0 to 1. */
  readonly from: number;
  readonly to: number;
}

const CASES: readonly Case[] = [
  { name: 'first page', from: 0, to: 0 },
  { name: 'first page, completed', status: 'completed', from: 0, to: 0 },
  { name: 'first page, queued', status: 'queued', from: 0, to: 0 },
  { name: 'first page, oldest first', ascending: true, from: 0, to: 0 },
  { name: 'first page, by completion', sortBy: 'completedAt', from: 0, to: 0 },
  { name: 'pages in the middle', from: 0.45, to: 0.55 },
  { name: 'any page', from: 0, to: 1 },
  { name: 'the last pages', from: 0.99, to: 1 },
  { name: 'any page, oldest first', ascending: true, from: 0, to: 1 },
  { name: 'any page, completed', status: 'completed', from: 0, to: 1 },
  { name: 'any page, failed', status: 'failed', from: 0, to: 1 },
  { name: 'any page, queued', status: 'queued', from: 0, to: 1 },
  { name: 'any page, completed, by completion', status: 'completed', sortBy: 'completedAt', from: 0, to: 1 },
  { name: 'any page, by completion', sortBy: 'completedAt', from: 0, to: 0.96 },
];

/** Without a service's timeouts: this query takes longer. */
async function listNaively(client: pg.Client, query: JobQuery): Promise<number> {
  const { accountId, status, sortBy, ascending, limit, offset } = query;
  const where = `account_id = $1${status === undefined ? '' : ` and status = '${status}'`}`;
  const column = sortBy === 'createdAt' ? 'created_at' : 'completed_at';
  const direction = ascending ? 'asc' : 'desc';
  const { rows } = await client.query<{ total: string }>(
    `select count(*) as total from jobs where ${where}`,
    [accountId],
  );
  await client.query(
    `select ${JOB_COLUMNS} from jobs where ${where}
     order by ${column} ${direction}${sortBy === 'createdAt' ? '' : ' nulls last'}, id ${direction} limit $2 offset $3`,
    [accountId, limit, offset],
  );
  return Number(rows[0]?.total);
}

async function measure(pool: Pool, naiveClient: pg.Client, page: Case, samples: number): Promise<Row> {
  const query: JobQuery = {
    accountId: ACCOUNT_ID,
    status: page.status,
    sortBy: page.sortBy ?? 'createdAt',
    ascending: page.ascending ?? false,
    limit: LIMIT,
    offset: 0,
  };
  const { total } = await listJobs(pool, query);
  const anywhere = (): JobQuery => {
    const share = page.from + (page.to - page.from) * Math.random();
    return { ...query, offset: Math.floor((share * Math.max(0, total - 1)) / LIMIT) * LIMIT };
  };
  for (let n = 0; n < WARM_UP; n++) await listJobs(pool, anywhere());
  const times: number[] = [];
  for (let n = 0; n < samples; n++) {
    const asked = anywhere();
    const [tookMs] = await timed(() => listJobs(pool, asked));
    times.push(tookMs);
  }
  const naive: number[] = [];
  for (let n = 0; n < NAIVE_SAMPLES; n++) {
    const asked = anywhere();
    const [tookMs, counted] = await timed(() => listNaively(naiveClient, asked));
    if (counted !== total) throw new Error(`${page.name}: the total is wrong`);
    naive.push(tookMs);
  }
  const isFirst = page.to === 0;
  const goalMs = isFirst ? FIRST_PAGE_GOAL_MS : DEEP_PAGE_GOAL_MS;
  const { p50Ms, p99Ms } = latencyOf(times);
  return {
    measure: page.name,
    cells: [p50Ms, p99Ms, latencyOf(naive).p50Ms].map(formatMs),
    goal: `p99 ≤ ${goalMs} ms`,
    isMet: p99Ms <= goalMs,
  };
}

/** The round trip that every time here includes. It shows whether the machine is busy. */
async function measureRoundTrip(pool: Pool, samples: number): Promise<Row> {
  const times: number[] = [];
  for (let n = 0; n < samples; n++) {
    const [tookMs] = await timed(() => pool.query('select 1'));
    times.push(tookMs);
  }
  const { p50Ms, p99Ms } = latencyOf(times);
  return {
    measure: '(select 1)',
    cells: [formatMs(p50Ms), formatMs(p99Ms), ''],
    goal: '',
    isMet: undefined,
  };
}

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '10000000' },
    accounts: { type: 'string', default: '1000000' },
    samples: { type: 'string', default: '300' },
  },
});
const size = { jobs: Number(values.jobs), accounts: Number(values.accounts) };
const samples = Number(values.samples);
const progress = (line: string) => void process.stderr.write(`${line}\n`);
await using stack = new AsyncDisposableStack();

async function openManyJobs(of: Size) {
  const { database, bytes } = await makeManyJobs(of, progress);
  stack.use(database);
  const { url } = database;
  const onError = (error: Error) => progress(`a connection broke: ${error.message}`);
  const opened = stack.adopt(openPool({ url, schema: JOBS_SCHEMA, maxConnections: 2, onError }), (each) =>
    each.end(),
  );
  return { url, bytes, pool: opened };
}

const { url, bytes, pool } = await openManyJobs(size);
const naiveClient = new pg.Client({
  connectionString: url,
  options: `-c search_path=${JOBS_SCHEMA}`,
});
await naiveClient.connect();
stack.defer(() => naiveClient.end());
const [countedMs] = await timed(() => countJobsOfOldAccounts(pool));
const rows: Row[] = [await measureRoundTrip(pool, samples)];
for (const page of CASES) {
  const row = await measure(pool, naiveClient, page, samples);
  progress(`${row.measure}: ${row.cells.join(' / ')} ms`);
  rows.push(row);
}

progress('jobs of the account, and of others');
await removePending(pool);
const small = await openManyJobs({ jobs: 0, accounts: ACCOUNTS_ALONE });
const ofAccount = (of: Pool): Side => ({ dependencies: standInsOn(of), nextAccountId: () => ACCOUNT_ID });
const ofOthers = (of: Pool, accounts: number): Side => ({
  dependencies: standInsOn(of),
  nextAccountId: () => otherAccountId(1 + Math.floor(Math.random() * accounts)),
});
const jobRows = [
  ...(await compareJobs('that account', {
    alone: ofAccount(small.pool),
    beside: ofAccount(pool),
    samples,
  })),
  ...(await compareJobs('one of the others', {
    alone: ofOthers(small.pool, ACCOUNTS_ALONE),
    beside: ofOthers(pool, size.accounts),
    samples,
  })),
];

process.stdout.write(`${size.jobs.toLocaleString('en')} jobs of one account in a year, `);
process.stdout.write(
  `${(bytes / 1e9).toFixed(1)} GB; its days and hours counted in ${(countedMs / 1000).toFixed(1)} s\n\n`,
);
process.stdout.write(`${formatRows(['p50 ms', 'p99 ms', 'naive p50 ms'], rows)}\n`);
process.stdout.write(
  `\nA job beside these and ${size.accounts.toLocaleString('en')} accounts, and with ${ACCOUNTS_ALONE} accounts alone\n\n`,
);
process.stdout.write(
  `${formatRows(['alone, p50 ms', 'beside, p50 ms', 'ratio', 'beside, p99 ms'], jobRows)}\n`,
);
if ([...rows, ...jobRows].some(({ isMet }) => isMet === false)) process.exitCode = 1;
