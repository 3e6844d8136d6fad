/** Many jobs with one setting, queued together: all of them, or none. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { newId } from '@audiosplit/chassis/ids';
import { type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { findSourceConnection } from '../connections/source-object.ts';
import { AccountPendingDeletionError } from '../errors.ts';
import { MAX_QUEUED_PER_ACCOUNT } from '../job.ts';
import { dispatchNext } from '../queue/dispatch.ts';
import {
  type Batch,
  type BatchJob,
  type BatchSettings,
  type BatchSource,
  insertBatchJobs,
  lockFailedJobsOfBatch,
  takeOutOfBatch,
} from '../store/batches.ts';
import { changeCounters, lockAccountQueue } from '../store/queue/account-queue.ts';
import { type CreateJobDependencies, requireAllowance } from '../submit/create-job.ts';
import { BatchDoesNotFitError, MAX_BATCH_SOURCES, requireBatch } from './batch.ts';

/**
 * Sources are not inspected, as one call must not cost a thousand look-ups. Throws InvalidParamsError,
 * QuotaExceededError, SpendLimitReachedError, BatchDoesNotFitError, AccountPendingDeletionError.
 */
export async function createBatch(
  dependencies: CreateJobDependencies,
  settings: BatchSettings,
  sources: readonly Omit<BatchSource, 'sourceConnectionId'>[],
): Promise<{ readonly batch: Batch; readonly jobIds: readonly string[] }> {
  const { pool, wakeRelay } = dependencies;
  const { accountId } = settings;
  if (sources.length < 1 || sources.length > MAX_BATCH_SOURCES)
    throw new InvalidParamsError('sources', `must be 1 to ${MAX_BATCH_SOURCES}`);
  await requireAllowance(dependencies, { accountId, cut: settings.cut, sizeBytes: undefined });
  const batchId = newId('bat');
  const jobs: BatchJob[] = [];
  for (const source of sources) {
    const connection = await findSourceConnection(pool, accountId, source.sourceUrl, 'sources');
    jobs.push({ ...source, sourceConnectionId: connection?.id, id: newId('job') });
  }
  const batch = await withTransaction(pool, async (client) => {
    await queueJobs(client, accountId, jobs.length, () => insertBatchJobs(client, batchId, settings, jobs));
    return requireBatch(client, accountId, batchId);
  });
  wakeRelay();
  return { batch, jobIds: jobs.map(({ id }) => id) };
}

/**
 * Creates a new job for each failed one that was not canceled. The failed job leaves the batch and stays in
 * the account's list. Throws NotFoundError, and the errors of createBatch.
 */
export async function retryBatch(
  dependencies: CreateJobDependencies,
  accountId: string,
  batchId: string,
): Promise<Batch> {
  const { pool, wakeRelay } = dependencies;
  const retried = await withTransaction(pool, async (client) => {
    const failed = await lockFailedInOrder(client, accountId, batchId);
    const [first] = failed;
    if (first === undefined) return requireBatch(client, accountId, batchId);
    const { cut, outputFormat } = first.request;
    await requireAllowance(dependencies, { accountId, cut, sizeBytes: undefined });
    const settings = { accountId, cut, outputFormat, webhookUrl: first.webhookUrl, metadata: first.metadata };
    const jobs = failed.map(({ request }) => ({ ...request, id: newId('job') }));
    await takeOutOfBatch(
      client,
      failed.map(({ id }) => id),
    );
    await queueJobs(client, accountId, jobs.length, () => insertBatchJobs(client, batchId, settings, jobs));
    return requireBatch(client, accountId, batchId);
  });
  wakeRelay();
  return retried;
}

/** The queue's lock comes before those of its jobs. */
async function lockFailedInOrder(db: Queryable, accountId: string, batchId: string) {
  await lockAccountQueue(db, accountId);
  return lockFailedJobsOfBatch(db, accountId, batchId);
}

async function queueJobs(
  db: Queryable,
  accountId: string,
  count: number,
  insert: () => Promise<void>,
): Promise<void> {
  const queue = await lockAccountQueue(db, accountId);
  if (queue.closed) throw new AccountPendingDeletionError();
  const queued = queue.queued + count;
  if (queued > MAX_QUEUED_PER_ACCOUNT) throw new BatchDoesNotFitError(count, queue.queued);
  await insert();
  await changeCounters(db, accountId, { queued: count });
  await dispatchNext(db, accountId, { ...queue, queued });
}
