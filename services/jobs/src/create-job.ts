import { newId } from '@audiosplit/chassis/ids';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import {
  AccountPendingDeletionError,
  FileTooLargeError,
  QueueFullError,
  QuotaExceededError,
} from './errors.ts';
import { letNextGo } from './finish-job.ts';
import { type Job, MAX_QUEUED_PER_ACCOUNT, type SplitRequest } from './job.ts';
import { type FetchLimits, limitsOf } from './limits.ts';
import { changeCounters, lockAccountQueue } from './store/account-queue.ts';
import { insertJob } from './store/jobs.ts';

export interface CreateJobDependencies {
  readonly pool: Pool;
  readonly fetchLimits: FetchLimits;
  /** Milliseconds of source that the account may still have processed in its period. */
  readonly fetchQuotaLeftMs: (accountId: string) => Promise<number>;
  /** The source's size where it can be had quickly. Refuses forbidden addresses (INVALID_PARAMS). */
  readonly inspectSource: (sourceUrl: string) => Promise<number | undefined>;
  readonly wakeRelay: () => void;
}

export interface JobWish {
  readonly accountId: string;
  readonly request: SplitRequest;
  readonly webhookUrl: string | undefined;
  readonly metadata: string | undefined;
}

/** Throws QuotaExceededError, FileTooLargeError, QueueFullError, AccountPendingDeletionError. */
export async function createJob(dependencies: CreateJobDependencies, wish: JobWish): Promise<Job> {
  const { pool, fetchLimits, fetchQuotaLeftMs, inspectSource, wakeRelay } = dependencies;
  const { accountId, request } = wish;
  const [limits, sizeBytes] = await Promise.all([
    limitsOf(pool, fetchLimits, accountId),
    inspectSource(request.sourceUrl),
  ]);
  if (sizeBytes !== undefined && sizeBytes > limits.maxFileSizeBytes) {
    throw new FileTooLargeError(sizeBytes, limits.maxFileSizeBytes);
  }
  if (!limits.overageAllowed && (await fetchQuotaLeftMs(accountId)) <= 0) throw new QuotaExceededError();

  const job = await withTransaction(pool, async (client) => {
    const queue = await lockAccountQueue(client, accountId);
    if (queue.closed) throw new AccountPendingDeletionError();
    if (queue.queued >= MAX_QUEUED_PER_ACCOUNT) throw new QueueFullError();
    const created = await insertJob(client, { id: newId('job'), ...wish });
    await changeCounters(client, accountId, { queued: 1 });
    await letNextGo(client, accountId, { ...queue, queued: queue.queued + 1 });
    return created;
  });
  wakeRelay();
  return job;
}
