/**
 * Polls the jobs that have open streams on this gateway: one call for all jobs that are due, and no call
 * without streams. A job is polled soon after its stream was opened, because most jobs are short, then at
 * intervals that grow with the time since, so that an event is late by a small part of it, and finally together
 * with all others.
 *
 * It stores no state of jobs between two polls, so a failed poll delays events until the next one but loses
 * none.
 */

import { withoutSpans } from '@audiosplit/chassis/observability/spans';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { Services } from '../services.ts';
import type { JobState } from './job-event.ts';

export type Sighting = JobState | 'gone';
type OnSighting = (seen: Sighting) => void;

export interface JobWatch extends Disposable {
  /** Calls `onSighting` with the job's state at every poll. Returns a function that unsubscribes. */
  follow(jobId: string, onSighting: OnSighting): () => void;
}

interface JobWatchOptions {
  readonly jobs: Pick<Services['jobs'], 'getProgress'>;
  readonly log: Logger;
  /** The interval for a job that has been followed for a while. */
  readonly lookEveryMs: number;
  /** A monotonic clock. */
  readonly clockMs?: () => number;
}

interface Followed {
  readonly followers: Set<OnSighting>;
  readonly sinceMs: number;
  dueAtMs: number;
}

/** Limit of the jobs service for one call. */
const MAX_JOBS_PER_CALL = 1_000;
const FIRST_LOOK_MS = 50;
const SHORTEST_WAIT_MS = 25;
/** An interval, as a part of the time for which the job has been followed. */
const WAIT_RATIO = 0.25;

export function createJobWatch(options: JobWatchOptions): JobWatch {
  const { jobs, log, lookEveryMs, clockMs = () => performance.now() } = options;
  const followed = new Map<string, Followed>();
  let timer: NodeJS.Timeout | undefined;
  let timerAtMs = 0;
  let earliestAtMs = 0;
  let isLooking = false;
  let isFailing = false;

  const lookAt = async (jobIds: readonly string[]) => {
    const found = await jobs.getProgress({ jobIds: [...jobIds] });
    const states = new Map(found.jobs.map((job) => [job.jobId, job]));
    for (const jobId of jobIds) {
      for (const onSighting of followed.get(jobId)?.followers ?? []) onSighting(states.get(jobId) ?? 'gone');
    }
  };
  const takeDue = (nowMs: number): readonly string[] => {
    const due = [...followed].filter(([, { dueAtMs }]) => dueAtMs <= nowMs);
    for (const [, job] of due) {
      const waitMs = Math.max(SHORTEST_WAIT_MS, (nowMs - job.sinceMs) * WAIT_RATIO);
      // Jobs that are followed for longer are due at the same moments.
      job.dueAtMs =
        waitMs < lookEveryMs ? nowMs + waitMs : (Math.floor(nowMs / lookEveryMs) + 1) * lookEveryMs;
    }
    return due.map(([jobId]) => jobId);
  };
  const look = async () => {
    timer = undefined;
    isLooking = true;
    const startedMs = clockMs();
    try {
      const jobIds = takeDue(startedMs);
      for (let start = 0; start < jobIds.length; start += MAX_JOBS_PER_CALL) {
        await lookAt(jobIds.slice(start, start + MAX_JOBS_PER_CALL));
      }
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'jobs cannot be polled; their streams receive no events');
      isFailing = true;
    }
    isLooking = false;
    // A slow service is polled for half of the time at most.
    earliestAtMs = clockMs() + Math.min(clockMs() - startedMs, lookEveryMs);
    lookLater();
  };
  const lookLater = () => {
    if (isLooking || followed.size === 0) return;
    const dueAtMs = Math.min(...[...followed.values()].map((job) => job.dueAtMs));
    const atMs = Math.max(dueAtMs, earliestAtMs);
    if (timer !== undefined && timerAtMs <= atMs) return;
    clearTimeout(timer);
    timerAtMs = atMs;
    timer = withoutSpans(() => setTimeout(look, Math.max(0, atMs - clockMs())));
  };

  return {
    follow(jobId, onSighting) {
      const followers = followed.get(jobId)?.followers ?? new Set();
      const sinceMs = clockMs();
      const dueAtMs = sinceMs + Math.min(FIRST_LOOK_MS, lookEveryMs);
      followed.set(jobId, { followers: followers.add(onSighting), sinceMs, dueAtMs });
      lookLater();
      return () => {
        followers.delete(onSighting);
        if (followers.size === 0 && followed.get(jobId)?.followers === followers) followed.delete(jobId);
      };
    },
    [Symbol.dispose]() {
      followed.clear();
      clearTimeout(timer);
    },
  };
}
