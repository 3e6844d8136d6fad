/** All jobs of an account or a batch with their segments, in pages below the size limit of a message. */
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type { Job, Segment } from '../job.ts';
import { listSegmentsOf } from '../store/job/segments.ts';
import { listJobsAfter, type WalkedJob } from '../store/read/walk-jobs.ts';
import { parsePageToken, toPageToken } from './page-token.ts';

export interface JobWalkPage {
  readonly jobs: readonly { readonly job: Job; readonly segments: readonly Segment[] }[];
  /** Empty on the last page. */
  readonly nextPageToken: string;
}

const MAX_JOBS = 100;
/** A job has up to 10,000 segments of about 300 bytes; a message of 16 MB holds several times as many. */
const MAX_SEGMENTS = 10_000;
/** A cut with many positions has up to a million. */
const MAX_CUT_CHARACTERS = 4_000_000;

/** Throws InvalidParamsError for a foreign token. */
export async function walkJobs(
  pool: Pool,
  accountId: string,
  pageToken: string,
  batchId?: string,
): Promise<JobWalkPage> {
  const after = parsePageToken(pageToken);
  const found = await listJobsAfter(pool, accountId, { after, limit: MAX_JOBS, batchId });
  const page = found.slice(0, countThatFit(found));
  const segments = await listSegmentsOf(
    pool,
    page.map(({ job }) => job.id),
  );
  const last = page.at(-1);
  const isLastPage = last === undefined || (page.length === found.length && found.length < MAX_JOBS);
  return {
    jobs: page.map(({ job }) => ({ job, segments: segments.get(job.id) ?? [] })),
    nextPageToken: isLastPage ? '' : toPageToken(last.position),
  };
}

/** At least one. */
function countThatFit(found: readonly WalkedJob[]): number {
  let segments = 0;
  let cutCharacters = 0;
  const tooMany = found.findIndex(({ job }) => {
    segments += job.segmentCount ?? 0;
    cutCharacters += JSON.stringify(job.request.cut).length;
    return segments > MAX_SEGMENTS || cutCharacters > MAX_CUT_CHARACTERS;
  });
  return tooMany === -1 ? found.length : Math.max(1, tooMany);
}
