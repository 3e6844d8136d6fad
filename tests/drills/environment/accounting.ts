/** Accepted jobs as their owner sees them: their ends, their notifications, and their usage. */
import { findJob } from '../../harness/load/find-job.ts';
import { secondsUntil } from '../../harness/seconds-until.ts';
import type { Receiver } from '../../harness/servers/receiver.ts';
import type { LightLoad, LoadJob } from './light-load.ts';

/** Sorts jobs by how they end; those that have not ended by the timeout are open. */
export async function awaitEnds(
  { account }: Pick<LightLoad, 'account'>,
  jobs: readonly LoadJob[],
  timeoutMs: number,
) {
  const completed: LoadJob[] = [];
  const failed: { readonly job: LoadJob; readonly code: string }[] = [];
  const missing: LoadJob[] = [];
  const open: LoadJob[] = [];
  const deadlineMs = performance.now() + timeoutMs;
  for (const job of jobs) {
    let answer = undefined as Awaited<ReturnType<typeof findJob>>;
    const hasEnded = async () => {
      answer = await findJob(account.client, job.id);
      return answer?.status !== 'queued' && answer?.status !== 'processing';
    };
    await secondsUntil(hasEnded, Math.max(0, deadlineMs - performance.now()));
    if (answer === undefined) missing.push(job);
    else if (answer.status === 'completed') completed.push(job);
    else if (answer.status === 'failed') failed.push({ job, code: answer.error.code });
    else open.push(job);
  }
  return { completed, failed, missing, open };
}

/**
 * Requests a job and waits for its completion; `seconds` is undefined if it is not accepted or not completed.
 */
export async function completeJob(load: LightLoad, timeoutMs: number) {
  const startedMs = performance.now();
  const job = await load.post(0);
  const { completed } = await awaitEnds(load, job === undefined ? [] : [job], timeoutMs);
  const seconds = (performance.now() - startedMs) / 1_000;
  return { job, seconds: completed.length === 1 ? seconds : undefined };
}

/** The webhook-ids of a job's completion: one for each time that the job was completed. */
export function completionIds({ accepted }: Pick<Receiver, 'accepted'>, job: LoadJob): ReadonlySet<string> {
  const own = accepted.filter(({ type, number }) => type === 'split.completed' && number === job.number);
  return new Set(own.map(({ id }) => id));
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

/** A signed link to the first segment of a job; undefined if it has no segment. */
export async function linkOf(
  { account }: Pick<LightLoad, 'account'>,
  jobId: string | undefined,
): Promise<string | undefined> {
  const job = jobId === undefined ? undefined : await account.client.getSplit(jobId);
  return job?.status === 'completed' ? job.segments[0]?.downloadUrl : undefined;
}

/** The status of a GET; 0 without a URL. */
export async function statusOf(
  url: string | undefined,
  headers: Record<string, string> = {},
): Promise<number> {
  if (url === undefined) return 0;
  const response = await fetch(url, { headers });
  await response.body?.cancel();
  return response.status;
}
