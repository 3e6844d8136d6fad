/**
 * Changes of all jobs of an account, by asking for the newest ones again and again: the API has event streams of single
 * jobs, and allows an account few at a time. A poll reads one page, and a bounded number of open jobs that fell off it.
 */
import {
  type Audiosplit,
  AudiosplitError,
  type CallOptions,
  type Job,
  type JobRow,
  pauseBeforePoll,
  type RateLimit,
} from '@audiosplit/client';

const POLL_EVERY_MS = 2_000;
const PAGE_ROWS = 100;
/** Open jobs beyond are still seen as long as they are among the newest. */
const MAX_READ_ALONE = 20;

export interface FollowJobsOptions {
  readonly signal: AbortSignal;
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly nowMs: () => number;
}

type Status = JobRow['status'];

/** Jobs that have ended before the first poll are left out. A job that was `queued` at one poll may be `completed` at the next. */
export async function* followJobs(
  client: Pick<Audiosplit, 'listSplits' | 'getSplit'>,
  { signal, pause, nowMs }: FollowJobsOptions,
): AsyncGenerator<{ readonly id: string; readonly before: Status | undefined }, void> {
  let known: ReadonlyMap<string, Status> | undefined;
  let limit: RateLimit | undefined;
  const options = {
    signal,
    onResponse: ({ rateLimit }: { readonly rateLimit: RateLimit | undefined }) => {
      limit = rateLimit ?? limit;
    },
  };
  for (;;) {
    const { data } = await client.listSplits({ limit: PAGE_ROWS }, options);
    const now = new Map<string, Status>(data.map(({ id, status }) => [id, status]));
    const offPage = [...(known ?? [])].filter(([id, status]) => isOpen(status) && !now.has(id));
    for (const [id] of offPage.slice(0, MAX_READ_ALONE)) {
      const job = await findJob(client, id, options);
      if (job !== undefined) now.set(id, job.status);
    }
    const before = known;
    known = now;
    // Listed newest first.
    for (const [id, status] of before === undefined ? [] : [...now].reverse()) {
      if (before?.get(id) !== status && status !== 'queued') yield { id, before: before?.get(id) };
    }
    await pause(pauseBeforePoll(POLL_EVERY_MS, limit, nowMs()), signal);
  }
}

function isOpen(status: Status): boolean {
  return status === 'queued' || status === 'processing';
}

/** Undefined: it has been deleted. */
export async function findJob(
  client: Pick<Audiosplit, 'getSplit'>,
  id: string,
  options: CallOptions,
): Promise<Job | undefined> {
  try {
    return await client.getSplit(id, options);
  } catch (error) {
    if (error instanceof AudiosplitError && error.status === 404) return undefined;
    throw error;
  }
}
