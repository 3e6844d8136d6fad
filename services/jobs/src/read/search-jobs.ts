/** Search by words of a job's id, file name or address. Each page reads a bounded number of jobs. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { isId } from '@audiosplit/chassis/ids';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { CANCELED, type Job, type JobStatus } from '../job.ts';
import { findJob } from '../store/job/jobs.ts';
import { findBorder, findJobsWith } from '../store/read/search-jobs.ts';
import { parsePageToken, toPageToken } from './page-token.ts';

export interface JobSearch {
  readonly accountId: string;
  readonly text: string;
  readonly status: JobStatus | undefined;
  /** Only failed jobs: the canceled ones, or the others. */
  readonly canceled: boolean | undefined;
  readonly limit: number;
  readonly pageToken: string;
}

export interface JobSearchPage {
  readonly jobs: readonly Job[];
  /** Empty when all older jobs have been searched. */
  readonly nextPageToken: string;
  /** Set if the search stopped before its page was full: when the last job it read was created. */
  readonly lookedBackTo: Date | undefined;
}

const MAX_TEXT_LENGTH = 200;
/** Takes the database about 50 ms. */
const MAX_LOOKED_AT = 20_000;

/** Reads at most `lookAt` jobs. Throws InvalidParamsError for an empty or too long text, and for a foreign token. */
export async function searchJobs(
  pool: Pool,
  { accountId, text, status, canceled, limit, pageToken }: JobSearch,
  lookAt = MAX_LOOKED_AT,
): Promise<JobSearchPage> {
  const wanted = text.trim();
  if ((wanted === '' && canceled === undefined) || text.length > MAX_TEXT_LENGTH)
    throw new InvalidParamsError('text', `must be 1 to ${MAX_TEXT_LENGTH} characters`);
  const scope = { accountId, status, canceled, before: parsePageToken(pageToken) };
  // A complete id finds the job however old it is.
  if (isId('job', wanted)) {
    const job = await findJob(pool, accountId, wanted);
    const isWanted = job !== undefined && isIn(scope, job);
    return { jobs: isWanted ? [job] : [], nextPageToken: '', lookedBackTo: undefined };
  }
  const border = await findBorder(pool, scope, lookAt);
  const found = await findJobsWith(pool, scope, {
    words: wanted.split(/\s+/).filter((word) => word !== ''),
    border: border?.position,
    limit: limit + 1,
  });
  const page = found.slice(0, limit);
  const isWhole = found.length > limit;
  const end = isWhole ? page.at(-1)?.position : border?.position;
  return {
    jobs: page.map(({ job }) => job),
    nextPageToken: end === undefined ? '' : toPageToken(end),
    lookedBackTo: isWhole ? undefined : border?.createdAt,
  };
}

function isIn({ status, canceled }: Pick<JobSearch, 'status' | 'canceled'>, job: Job): boolean {
  if (status !== undefined && job.status !== status) return false;
  return (
    canceled === undefined || (job.status === 'failed' && (job.error?.code === CANCELED.code) === canceled)
  );
}
