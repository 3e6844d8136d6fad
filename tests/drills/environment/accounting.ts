/** Accepted jobs as their owner sees them: their ends, their notifications, and their usage. */
import { AudiosplitError } from '@audiosplit/client';
import type { Receiver } from '../../harness/servers/receiver.ts';
import { secondsUntil } from '../seconds-until.ts';
import type { LightLoad, LoadJob } from './light-load.ts';

export interface Ends {
  readonly completed: readonly LoadJob[];
  /** With the error's code. */
  readonly failed: readonly { readonly job: LoadJob; readonly code: string }[];
  /** The API does not know them. */
  readonly missing: readonly LoadJob[];
  /** Not finished within the timeout. */
  readonly open: readonly LoadJob[];
}

type End =
  | { readonly kind: 'completed' | 'missing' | 'open' }
  | { readonly kind: 'failed'; readonly code: string };

export async function awaitEnds(
  { account }: Pick<LightLoad, 'account'>,
  jobs: readonly LoadJob[],
  timeoutMs: number,
): Promise<Ends> {
  const ends = new Map<LoadJob, End>();
  const deadlineMs = performance.now() + timeoutMs;
  const read = async (job: LoadJob): Promise<End> => {
    try {
      const answer = await account.client.getSplit(job.id);
      if (answer.status === 'failed') return { kind: 'failed', code: answer.error.code };
      return { kind: answer.status === 'completed' ? 'completed' : 'open' };
    } catch (error) {
      if (error instanceof AudiosplitError && error.status === 404) return { kind: 'missing' };
      throw error;
    }
  };
  for (const job of jobs) {
    let end: End = { kind: 'open' };
    const isEnded = async () => {
      end = await read(job);
      return end.kind !== 'open';
    };
    await secondsUntil(isEnded, Math.max(0, deadlineMs - performance.now()));
    ends.set(job, end);
  }
  const of = (kind: End['kind']) => jobs.filter((job) => ends.get(job)?.kind === kind);
  return {
    completed: of('completed'),
    failed: jobs.flatMap((job) => {
      const end = ends.get(job);
      return end?.kind === 'failed' ? [{ job, code: end.code }] : [];
    }),
    missing: of('missing'),
    open: of('open'),
  };
}

/** The webhook-ids of a job's completion: one for each time that the job was done. */
export function completionIds({ accepted }: Pick<Receiver, 'accepted'>, job: LoadJob): ReadonlySet<string> {
  return new Set(
    accepted
      .filter(({ type, number }) => type === 'split.completed' && number === job.number)
      .map(({ id }) => id),
  );
}

/** The completed jobs without a notification. */
export function unnotified(load: Pick<LightLoad, 'receiver'>, jobs: readonly LoadJob[]): LoadJob[] {
  return jobs.filter((job) => completionIds(load.receiver, job).size === 0);
}

/** The number of the account's completed jobs that its usage lacks. */
export async function countUncounted({ account }: Pick<LightLoad, 'account'>): Promise<number> {
  const { usage } = await account.client.getUsage({});
  const { pagination } = await account.client.listSplits({ status: 'completed', limit: 1 });
  return pagination.total - usage.jobsCompleted;
}

/** A signed link to the first segment of a job; undefined where it has none. */
export async function linkOf(
  { account }: Pick<LightLoad, 'account'>,
  jobId: string | undefined,
): Promise<string | undefined> {
  const job = jobId === undefined ? undefined : await account.client.getSplit(jobId);
  return job?.status === 'completed' ? job.segments[0]?.downloadUrl : undefined;
}

/** Of a GET; 0 without a URL. */
export async function statusOf(
  url: string | undefined,
  headers: Record<string, string> = {},
): Promise<number> {
  if (url === undefined) return 0;
  const response = await fetch(url, { headers });
  await response.body?.cancel();
  return response.status;
}
