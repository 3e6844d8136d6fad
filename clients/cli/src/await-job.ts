import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient, CompletedJob, RateLimitState } from './api-client.ts';
import { ApiFailure } from './failures.ts';

export interface AwaitJobOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (percent: number) => void;
}

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 2_000;

/** Polls until the job has ended. Throws ApiFailure with the job's own code when it failed. */
export async function awaitJob(
  client: ApiClient,
  jobId: string,
  options: AwaitJobOptions,
): Promise<CompletedJob> {
  for (let polls = 0; ; polls++) {
    const job = await client.readJob(jobId);
    switch (job.status) {
      case 'queued':
        break;
      case 'processing':
        options.onProgress(job.progress);
        break;
      case 'completed':
        options.onProgress(100);
        return job;
      case 'failed':
        throw new ApiFailure(job.error.code, job.error.message);
      default:
        job satisfies never;
    }
    const pauseMs = pauseBeforePoll(polls, client.rateLimit(), Date.now());
    await sleep(pauseMs, undefined, { signal: options.signal });
  }
}

/**
 * Often at first, as most jobs are short; then every 2 s; and never faster than what is left of the rate
 * limit lasts until its reset. One request is kept back for a cancellation.
 */
export function pauseBeforePoll(polls: number, limit: RateLimitState | undefined, nowMs: number): number {
  const eagerMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 1.3 ** polls);
  if (limit === undefined) return eagerMs;
  const untilResetMs = Math.min(60_000, Math.max(0, limit.resetAtMs - nowMs));
  const affordableMs = untilResetMs / Math.max(1, limit.remaining - 1);
  return Math.max(eagerMs, affordableMs);
}
