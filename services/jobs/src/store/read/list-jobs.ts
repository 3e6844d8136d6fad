/**
 * Pages of an account's jobs, by number, with exact totals, at a cost that does not grow with the number of jobs.
 *
 * The total comes from the counters of the account's queue row. A page that begins within the first DIRECT_OFFSET jobs
 * is read from the index in its order. For a later page, the counts of days and then of one day's hours (job_counts) are
 * added up to find the hour in which the page begins, and the index is read from there. It is one statement, so that
 * counters and rows are consistent.
 *
 * What still grows: the sum, with the days on which the account has created jobs; the skipped entries, with the jobs of
 * one hour; and, in the order of completion without a status, the failed jobs, which come last.
 *
 * A first page of a usual size, which is requested most, has its limit in the text of the statement. Only then does the
 * server know without the values how little it will read, and plan once per connection instead of at each call.
 */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Job, JobStatus } from '../../job.ts';
import { fromRow, type JobRow, LISTED_JOB_COLUMNS } from '../job/job-row.ts';

export interface JobQuery {
  readonly accountId: string;
  readonly status: JobStatus | undefined;
  readonly sortBy: 'createdAt' | 'completedAt';
  readonly ascending: boolean;
  readonly limit: number;
  readonly offset: number;
}

export interface JobPage {
  readonly jobs: readonly Job[];
  readonly total: number;
}

/** Skipping so many index entries takes as long as the search by days and hours. */
const DIRECT_OFFSET = 1_000;
/**
 * Few: only some statements that differ in literals are prepared (prepared-statements.ts), and callers choose the limit.
 */
const USUAL_LIMITS: readonly number[] = [10, 20, 50, 100];

export async function listJobs(db: Queryable, query: JobQuery): Promise<JobPage> {
  const { text, values } = statementFor(query);
  const { rows } = await db.query<PageRow>(text, values);
  return { jobs: rows.filter((row) => row.place !== null).map(fromRow), total: rows[0]?.total ?? 0 };
}

interface PageRow extends JobRow {
  readonly total: number;
  /** Null in the single row of a page beyond the last, which has the total and no job. */
  readonly place: number | null;
}

/** The query and its parts of the statement: literals or parameters. The account is $1. */
interface PageStatement extends JobQuery {
  readonly limitSql: string;
  readonly offsetSql: string;
  readonly statusSql: string;
}

function statementFor(query: JobQuery) {
  const { accountId, status, sortBy, limit, offset } = query;
  const values: unknown[] = [accountId];
  const bind = (value: unknown) => `$${values.push(value)}`;
  // Without completed jobs the order of completion means nothing, and no index has it.
  const byCompletion = sortBy === 'completedAt' && (status === undefined || status === 'completed');
  const isUsual = offset === 0 && USUAL_LIMITS.includes(limit);
  const statement: PageStatement = {
    ...query,
    limitSql: isUsual ? String(limit) : bind(limit),
    offsetSql: isUsual ? '0' : bind(offset),
    statusSql: status === undefined || byCompletion ? '' : `and status = ${bind(status)}`,
  };
  const text = `with queue as (
      select queued, processing, completed, failed, jobs_counted from account_queues where account_id = $1
    ), ${byCompletion ? completionPage(statement) : creationPage(statement)}
    select total, place, ${LISTED_JOB_COLUMNS}
    from (select coalesce((select ${status ?? 'queued + processing + completed + failed'} from queue), 0)::bigint as total) counted
    left join (page join jobs using (id)) on true
    order by place`;
  return { text, values };
}

function creationPage({ status, ascending, offset, limitSql, offsetSql, statusSql }: PageStatement): string {
  const order = orderBy('created_at', ascending);
  const where = `account_id = $1 ${statusSql}`;
  // There are never many jobs queued or processing.
  const isShort = status === 'queued' || status === 'processing';
  if (isShort || offset <= DIRECT_OFFSET)
    return pageOf(
      limitSql,
      `select id from jobs where ${where} ${order} limit ${limitSql} offset ${offsetSql}`,
    );
  return `${startingHour(status ?? 'created', ascending, offsetSql)}, ${pageOf(
    limitSql,
    `select id from jobs where ${where} and ${fromStart('created_at', ascending)} ${order}
     limit ${limitSql} offset (select skipped from start)`,
  )}`;
}

/** Jobs that have not completed come last, whichever way the others are sorted. */
function completionPage({ status, ascending, offset, limitSql, offsetSql }: PageStatement): string {
  const order = orderBy('completed_at', ascending);
  const isDirect = offset <= DIRECT_OFFSET;
  const completed = `select id from jobs where account_id = $1 and ${
    isDirect ? 'completed_at is not null' : fromStart('completed_at', ascending)
  } ${order} limit ${limitSql} offset ${isDirect ? offsetSql : '(select skipped from start)'}`;
  const others = `select id from jobs where account_id = $1 and completed_at is null ${order}
    limit ${limitSql} offset (select greatest(0, ${offsetSql} - completed) from queue)`;
  const page = pageOf(limitSql, completed, status === undefined ? others : undefined);
  return isDirect ? page : `${startingHour('completions', ascending, offsetSql)}, ${page}`;
}

/** The hour in which the page begins, and how many of its jobs come before it. No row if the page is beyond the last job. */
function startingHour(
  counted: 'created' | 'completions' | JobStatus,
  ascending: boolean,
  offsetSql: string,
): string {
  const direction = ascending ? 'asc' : 'desc';
  /** Each span with jobs, how many, and how many there are up to its end. */
  const spans = (span: 'day' | 'hour', where: string) =>
    `select start, ${counted} as jobs,
       sum(${counted}) over (order by start ${direction} rows unbounded preceding) as reached
     from job_counts where account_id = $1 and span = '${span}' ${where}`;
  return `day as (
      select start, reached - jobs as before from (${spans('day', '')}) days
      where reached > ${offsetSql} order by start ${direction} limit 1
    ), start as (
      (select hours.start as hour, ${offsetSql} - before - reached + jobs as skipped
       from day, (${spans('hour', "and start >= (select start from day) and start < (select start from day) + interval '1 day'")}) hours
       where before + reached > ${offsetSql} and (select jobs_counted from queue)
       order by hours.start ${direction} limit 1)
      union all
      select '${ascending ? '-' : ''}infinity'::timestamptz, ${offsetSql} from queue where not jobs_counted
    )`;
}

function fromStart(column: string, ascending: boolean): string {
  return ascending
    ? `${column} >= (select hour from start)`
    : `${column} < (select hour from start) + interval '1 hour'`;
}

/** The ids of the page and their places in it, from the first selection, then from the second. */
function pageOf(limitSql: string, first: string, second?: string): string {
  if (second === undefined)
    return `page as (select id, row_number() over () as place from (${first}) selected)`;
  return `page as (
      select id, row_number() over (order by part, nth) as place
      from (
        select id, 1 as part, row_number() over () as nth from (${first}) selected
        union all
        select id, 2, row_number() over () from (${second}) selected
      ) parts
      order by part, nth limit ${limitSql}
    )`;
}

function orderBy(column: 'created_at' | 'completed_at', ascending: boolean): string {
  const direction = ascending ? 'asc' : 'desc';
  const nulls = column === 'completed_at' ? ' nulls last' : '';
  return `order by ${column} ${direction}${nulls}, id ${direction}`;
}
