/**
 * Ends a job, inside a transaction that holds the lock of the account's queue row: final state, counters,
 * event and the dispatch of the next waiting job, all or nothing.
 */
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import type { Commit, Queryable } from '@audiosplit/chassis/postgres/pool';
import { meteredMsOf, usedMsOf } from '../cut-json.ts';
import { type Job, type JobError, type JobOutcome, objectPrefixOf } from '../job.ts';
import { measureFailure, measureSuccess } from '../job-metrics.ts';
import { splitStatusChanged } from '../outgoing-events.ts';
import { sourcePrefixOf } from '../parts/part.ts';
import { dispatchNext, dispatchWaitingParts, resumeAwaiting } from '../queue/dispatch.ts';
import { scheduleEmptying } from '../store/emptied-folders.ts';
import { completeJob } from '../store/job/complete-job.ts';
import { failJob } from '../store/job/jobs.ts';
import { deleteDivision } from '../store/lease/divisions.ts';
import { type AccountQueue, changeCounters } from '../store/queue/account-queue.ts';
import { scheduleDeletion } from '../store/retention.ts';

/** A worker that has lost its lease may still be uploading. It notices within twice the longest lease. */
export const ABANDONED_OBJECTS_DELAY_MS = 10 * 60_000;

/** `now` is the clock of the transaction. The commit is sent together with the last statement. */
export async function endWithSuccess(
  db: Queryable,
  { queue, job, now }: { readonly queue: AccountQueue; readonly job: Job; readonly now: Date },
  outcome: JobOutcome,
  commit: Commit,
): Promise<void> {
  const { accountId } = job;
  const completed = withResult(job, outcome, now);
  const completion = {
    job: completed,
    segments: outcome.segments,
    usedMs: usedMsOf(job.request.cut, outcome),
    event: splitStatusChanged(completed),
  };
  const after = { ...queue, processing: queue.processing - 1 };
  // Sent together. The statements need no results of one another, and fail with the first that fails.
  const goOn = async () => {
    if (job.isDivided) {
      await scheduleDeletion(db, [sourcePrefixOf(job.id, job.fence)], 0);
      await deleteDivision(db, job.id);
    }
    await dispatchNext(db, accountId, await resumeAwaiting(db, accountId, after), { commit });
  };
  await Promise.all([completeJob(db, completion), goOn()]);
  measureSuccess(completed, outcome);
}

function withResult(job: Job, { segments, outputFormat, ...outcome }: JobOutcome, completedAt: Date): Job {
  return {
    ...job,
    status: 'completed',
    completedAt,
    request: { ...job.request, outputFormat },
    sourceFileName: outcome.sourceFileName,
    sourceDurationMs: outcome.sourceDurationMs,
    isSourceDurationEstimate: outcome.isSourceDurationEstimate ?? false,
    sourceSizeBytes: outcome.sourceSizeBytes,
    segmentCount: segments.length,
    // The segments of a dry run are not stored.
    storedBytes: segments.reduce(
      (sum, { objectKey, sizeBytes }) => sum + (objectKey === '' ? 0 : sizeBytes),
      0,
    ),
    meteredMs: meteredMsOf(job.request.cut, { ...outcome, segments }),
    loudness: outcome.loudness,
  };
}

export async function endWithFailure(
  db: Queryable,
  queue: AccountQueue,
  job: Job,
  error: JobError,
): Promise<Job> {
  const failed = await failJob(db, job.id, error);
  const after = withoutJob(queue, job);
  await changeCounters(db, job.accountId, {
    queued: after.queued - queue.queued,
    dispatched: after.dispatched - queue.dispatched,
    processing: after.processing - queue.processing,
    failed: 1,
  });
  if (job.fence > 0) {
    await scheduleDeletion(db, [objectPrefixOf(job.id)], ABANDONED_OBJECTS_DELAY_MS);
    await scheduleEmptying(db, job, ABANDONED_OBJECTS_DELAY_MS);
  }
  if (job.isDivided) {
    await deleteDivision(db, job.id);
    await dispatchWaitingParts(db, job.accountId);
  }
  await appendToOutbox(db, [splitStatusChanged(failed)]);
  await dispatchNext(db, job.accountId, await resumeAwaiting(db, job.accountId, after));
  measureFailure(failed, error);
  return failed;
}

/** The queue's counters without an unfinished job. */
export function withoutJob(queue: AccountQueue, job: Job): AccountQueue {
  if (job.status === 'processing') return { ...queue, processing: queue.processing - 1 };
  if (job.status !== 'queued') return queue;
  const dispatched = job.dispatchedAt === undefined ? queue.dispatched : queue.dispatched - 1;
  return { ...queue, queued: queue.queued - 1, dispatched };
}
