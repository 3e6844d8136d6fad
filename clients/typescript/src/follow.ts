/**
 * Follows a job to its end by the stream of its events.
 *
 * A stream that ends before the job, breaks off or falls silent is opened again with the id of the last
 * event, so no event is reported twice. If streams do not work, because a proxy delays them or the account
 * has too many, the job is polled at growing intervals instead. Refusals that a repeat would not change, such
 * as for a revoked key or a deleted job, are thrown.
 */
import { delay } from './delay.ts';
import { AudiosplitError, connectionFailed, type RateLimit, type ResponseInfo } from './error.ts';
import { readEvents } from './event-stream.ts';
import type { Operations } from './generated/operations.ts';
import { type CallOptions, pathSegment, type Transport } from './request.ts';
import type { CompletedJob, FailedJob } from './types.ts';

export type JobEvent =
  | { readonly type: 'progress' /** Per cent. */; readonly progress: number }
  | { readonly type: 'completed'; readonly job: CompletedJob }
  | { readonly type: 'failed'; readonly job: FailedJob };

export interface FollowOptions extends Pick<CallOptions, 'signal'> {
  /** First interval of polling if the job's events are not available; 2,000 by default. */
  readonly pollEveryMs?: number;
}

export interface WaitOptions extends FollowOptions {
  /** Per cent, only ever more. */
  readonly onProgress?: (progress: number) => void;
}

/** The job that was waited for has failed. Its refusals are AudiosplitErrors; this is about the audio. */
export class JobFailedError extends Error {
  override readonly name = 'JobFailedError';
  readonly code: FailedJob['error']['code'];
  readonly job: FailedJob;

  constructor(job: FailedJob) {
    super(`job ${job.id} failed: ${job.error.message}`);
    this.code = job.error.code;
    this.job = job;
  }
}

/** Per cent of progress, or the job's end. */
type Step = number | 'ended';

const POLL_EVERY_MS = 2_000;
const MAX_POLL_EVERY_MS = 15_000;
/** Three of the API's heartbeats. */
const SILENCE_MS = 45_000;
/** EventSource leaves the pause to the implementation; the API names its own. */
const RECONNECT_MS = 2_000;
const MAX_RECONNECT_MS = 61_000;
const MAX_FRUITLESS_STREAMS = 3;

export interface Follower {
  followJob(jobId: string, options?: FollowOptions): AsyncGenerator<JobEvent, void>;
  waitForJob(jobId: string, options?: WaitOptions): Promise<CompletedJob>;
}

export function createFollower(transport: Transport, { getSplit }: Pick<Operations, 'getSplit'>): Follower {
  async function* followJob(jobId: string, options: FollowOptions = {}): AsyncGenerator<JobEvent, void> {
    const { signal } = options;
    const call = signal === undefined ? {} : { signal };
    let progress = -1;
    for await (const step of streamsThenPolls(jobId, options)) {
      if (step === 'ended') {
        const job = await getSplit(jobId, call);
        if (job.status === 'completed') yield { type: 'completed', job };
        else if (job.status === 'failed') yield { type: 'failed', job };
        return;
      }
      if (step > progress) yield { type: 'progress', progress: step };
      progress = Math.max(progress, step);
    }
  }

  async function* streamsThenPolls(
    jobId: string,
    { signal, pollEveryMs = POLL_EVERY_MS }: FollowOptions,
  ): AsyncGenerator<Step, void> {
    let place: StreamPlace = { lastEventId: '', retryMs: RECONNECT_MS };
    let fruitless = 0;
    while (fruitless < MAX_FRUITLESS_STREAMS) {
      let waitMs = place.retryMs;
      fruitless += 1;
      try {
        for await (const { step, ...reached } of readStream(transport, jobId, place.lastEventId, signal)) {
          place = reached;
          [fruitless, waitMs] = [0, reached.retryMs];
          yield step;
          if (step === 'ended') return;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (!(error instanceof AudiosplitError) || !isPassing(error)) throw error;
        if (error.code === 'TOO_MANY_STREAMS' || error.code === 'UNEXPECTED_ANSWER') break;
        waitMs = Math.max(waitMs, (error.retryAfter ?? 0) * 1000);
      }
      await delay(Math.min(waitMs, MAX_RECONNECT_MS), signal);
    }
    let rateLimit: RateLimit | undefined;
    const onResponse = (response: ResponseInfo) => {
      rateLimit = response.rateLimit ?? rateLimit;
    };
    for (let everyMs = pollEveryMs; ; everyMs = Math.min(everyMs * 1.5, MAX_POLL_EVERY_MS)) {
      const job = await getSplit(jobId, { onResponse, ...(signal === undefined ? {} : { signal }) });
      if (job.status === 'processing') yield job.progress;
      else if (job.status !== 'queued') yield 'ended';
      await delay(pauseBeforePoll(everyMs, rateLimit, Date.now()), signal);
    }
  }

  return {
    followJob,
    async waitForJob(jobId, { onProgress, ...options } = {}) {
      for await (const event of followJob(jobId, options)) {
        switch (event.type) {
          case 'progress':
            onProgress?.(event.progress);
            break;
          case 'completed':
            return event.job;
          case 'failed':
            throw new JobFailedError(event.job);
          default:
            event satisfies never;
        }
      }
      throw new Error(`the events of job ${jobId} ended before the job did`);
    },
  };
}

/**
 * Milliseconds between two polls. The requests that are left of the rate limit are spread over the time until
 * its reset, except one, which is kept for a cancellation. The limit's window is a minute, so a longer time
 * until the reset means that the clocks differ, and counts as a minute.
 */
export function pauseBeforePoll(everyMs: number, limit: RateLimit | undefined, nowMs: number): number {
  if (limit === undefined) return everyMs;
  const untilResetMs = Math.min(60_000, Math.max(0, limit.resetsAt.getTime() - nowMs));
  return Math.max(everyMs, untilResetMs / Math.max(1, limit.remaining - 1));
}

/** Whether another stream or a poll may succeed. */
function isPassing({ status, code }: AudiosplitError): boolean {
  return status === 0 || status === 429 || status >= 500 || code === 'UNEXPECTED_ANSWER';
}

interface StreamPlace {
  readonly lastEventId: string;
  readonly retryMs: number;
}

/** Reads one stream until it ends. Throws AudiosplitError. */
async function* readStream(
  transport: Transport,
  jobId: string,
  lastEventId: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamPlace & { readonly step: Step }, void> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onActivity = () => {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(new Error('the stream fell silent')), SILENCE_MS);
  };
  onActivity();
  const path = `/api/v1/splits/${pathSegment(jobId)}/events`;
  try {
    const response = await transport.fetch(
      {
        method: 'GET',
        path,
        credentials: ['apiKey'],
        headers: {
          Accept: 'text/event-stream',
          ...(lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId }),
        },
      },
      {
        signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
        retries: { maxRetries: 0, maxRateLimitRetries: 0 },
      },
    );
    // 204: the last event id is that of the job's end.
    if (response.body === null || response.status === 204) {
      yield { step: 'ended', lastEventId, retryMs: RECONNECT_MS };
      return;
    }
    for await (const event of readEvents(response.body, onActivity)) {
      const place = { lastEventId: event.lastEventId, retryMs: event.retryMs ?? RECONNECT_MS };
      if (event.type === 'progress') {
        const { progress } = JSON.parse(event.data) as { progress: number };
        yield { step: progress, ...place };
      } else if (event.type === 'completed' || event.type === 'failed') {
        yield { step: 'ended', ...place };
      }
    }
  } catch (error) {
    // Includes a stream that breaks off in the middle, which fetch reports in many ways.
    throw error instanceof AudiosplitError ? error : connectionFailed(error, transport.hostOf(path));
  } finally {
    clearTimeout(timer);
  }
}
