/**
 * Polls the jobs that have open streams on this gateway: one call a second for all of them, and none without streams.
 * It keeps no state between two polls, so a failed poll delays events by a second and loses none.
 */

import { withoutSpans } from '@audiosplit/chassis/observability/spans';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { Services } from '../services.ts';
import type { JobState } from './job-event.ts';

export type Sighting = JobState | 'gone';
type Tell = (seen: Sighting) => void;

export interface JobWatch extends Disposable {
  /** Calls `tell` with the job's state at every poll. Returns a function that unsubscribes. */
  follow(jobId: string, tell: Tell): () => void;
}

interface JobWatchOptions {
  readonly jobs: Pick<Services['jobs'], 'getProgress'>;
  readonly log: Logger;
  readonly lookEveryMs: number;
}

/** Limit of the jobs service for one call. */
const MAX_JOBS_PER_CALL = 1_000;

export function createJobWatch({ jobs, log, lookEveryMs }: JobWatchOptions): JobWatch {
  const followers = new Map<string, Set<Tell>>();
  let timer: NodeJS.Timeout | undefined;
  let isFailing = false;

  const lookAt = async (jobIds: string[]) => {
    const found = await jobs.getProgress({ jobIds });
    const states = new Map(found.jobs.map((job) => [job.jobId, job]));
    for (const jobId of jobIds) {
      for (const tell of followers.get(jobId) ?? []) tell(states.get(jobId) ?? 'gone');
    }
  };
  const look = async () => {
    try {
      const jobIds = [...followers.keys()];
      for (let start = 0; start < jobIds.length; start += MAX_JOBS_PER_CALL) {
        await lookAt(jobIds.slice(start, start + MAX_JOBS_PER_CALL));
      }
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'jobs cannot be followed; their streams stand still');
      isFailing = true;
    }
    timer = undefined;
    lookLater();
  };
  const lookLater = () => {
    if (followers.size > 0) timer ??= withoutSpans(() => setTimeout(look, lookEveryMs));
  };

  return {
    follow(jobId, tell) {
      const jobFollowers = followers.get(jobId) ?? new Set();
      followers.set(jobId, jobFollowers.add(tell));
      lookLater();
      return () => {
        jobFollowers.delete(tell);
        if (jobFollowers.size === 0 && followers.get(jobId) === jobFollowers) followers.delete(jobId);
      };
    },
    [Symbol.dispose]() {
      followers.clear();
      clearTimeout(timer);
    },
  };
}
