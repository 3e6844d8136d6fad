/** An account's holder ends a job: deletes or cancels it. */
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { JobAlreadyFinishedError, JobAlreadyProcessingError, JobNotFoundError } from '../errors.ts';
import { endWithFailure, withoutJob } from '../finish/finish-job.ts';
import { CANCELED, type Job, objectPrefixOf } from '../job.ts';
import { splitDeleted } from '../outgoing-events.ts';
import { dispatchNext } from '../queue/dispatch.ts';
import { deleteJob, lockJob } from '../store/job/jobs.ts';
import { changeCounters, lockAccountQueue } from '../store/queue/account-queue.ts';
import { scheduleDeletion } from '../store/retention.ts';
import { deleteObjects } from './sweep-objects.ts';

export interface RemovalDependencies {
  readonly pool: Pool;
  readonly openStore: () => Promise<ObjectStore>;
  readonly wakeRelay: () => void;
  readonly log: Logger;
}

/**
 * Deletes the job and its segments permanently. The objects are deleted before this resolves if the store
 * answers; otherwise the sweep deletes them later. Throws JobNotFoundError, JobAlreadyProcessingError.
 */
export async function removeJob(
  dependencies: RemovalDependencies,
  accountId: string,
  jobId: string,
): Promise<void> {
  const { pool, wakeRelay, log } = dependencies;
  await withTransaction(pool, async (client) => {
    const queue = await lockAccountQueue(client, accountId);
    const job = await lockJob(client, accountId, jobId);
    if (job === undefined) throw new JobNotFoundError(jobId);
    if (job.status === 'processing') throw new JobAlreadyProcessingError(jobId);
    await deleteJob(client, jobId);
    const after = withoutJob(queue, job);
    await changeCounters(client, accountId, {
      queued: after.queued - queue.queued,
      dispatched: after.dispatched - queue.dispatched,
      completed: job.status === 'completed' ? -1 : 0,
      failed: job.status === 'failed' ? -1 : 0,
    });
    await scheduleDeletion(client, [objectPrefixOf(jobId)], 0);
    await appendToOutbox(client, [splitDeleted(job)]);
    await dispatchNext(client, accountId, after);
  });
  wakeRelay();
  await deleteObjects(dependencies, objectPrefixOf(jobId)).catch((error: unknown) => {
    log.warn(
      { err: error, jobId },
      'objects of a deleted job could not be deleted at once; the sweep will delete them',
    );
  });
}

/** Ends a queued or running job as `failed` with CANCELED. Throws JobNotFoundError, JobAlreadyFinishedError. */
export async function cancelJob(
  { pool, wakeRelay }: RemovalDependencies,
  accountId: string,
  jobId: string,
): Promise<Job> {
  const canceled = await withTransaction(pool, async (client) => {
    const queue = await lockAccountQueue(client, accountId);
    const job = await lockJob(client, accountId, jobId);
    if (job === undefined) throw new JobNotFoundError(jobId);
    if (job.status === 'completed' || job.status === 'failed')
      throw new JobAlreadyFinishedError(jobId, job.status);
    return endWithFailure(client, queue, job, CANCELED);
  });
  wakeRelay();
  return canceled;
}
