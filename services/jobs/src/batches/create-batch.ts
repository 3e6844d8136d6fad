/** Many jobs with one setting, queued together: all of them, or none. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { newId } from '@audiosplit/chassis/ids';
import { type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { AccountPendingDeletionError } from '../errors.ts';
import { MAX_QUEUED_PER_ACCOUNT } from '../job.ts';
import { dispatchNext } from '../queue/dispatch.ts';
import { changeCounters, lockAccountQueue } from '../store/account-queue.ts';
import {
  type Batch,
  type BatchSettings,
  type BatchSource,
  insertBatchJobs,
  lockFailedJobsOfBatch,
  takeOutOfBatch,
} from '../store/batches.ts';
import { type CreateJobDependencies, requireAllowance } from '../submit/create-job.ts';
import { BatchDoesNotFitError, MAX_BATCH_SOURCES, requireBatch } from './batch.ts';

/**
 * Sources are not inspected, as one call must not cost a thousand look-ups. Throws InvalidParamsError,
 * QuotaExceededError, SpendLimitReachedError, BatchDoesNotFitError, AccountPendingDeletionError.
 */
export async function createBatch(
  dependencies: CreateJobDependencies,
  settings: BatchSettings,
  sources: readonly BatchSource[],
): Promise<{ readonly batch: Batch; readonly jobIds: readonly string[] }> {
  const { pool, wakeRelay } = dependencies;
  const { accountId } = settings;
  if (sources.length < 1 || sources.length > MAX_BATCH_SOURCES)
    throw new InvalidParamsError('sources', `must be 1 to ${MAX_BATCH_SOURCES}`);
  await requireAllowance(dependencies, { accountId, cut: settings.cut, sizeBytes: undefined });
  const batchId = newId('bat');
  const jobs = sources.map((source) => ({ ...source, id: newId('job') }));
  const batch = await withTransaction(pool, async (client) => {
    await queueJobs(client, accountId, jobs.length, () => insertBatchJobs(client, batchId, settings, jobs));
    return requireBatch(client, accountId, batchId);
  });
  wakeRelay();
  return { batch, jobIds: jobs.map(({ id }) => id) };
}

/**
 * A new job for each that has failed, but was not canceled; that one leaves the batch and stays in the account's list.
 * Throws NotFoundError, and what createBatch throws.
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

/** The lock of the queue comes before those of jobs. */
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
