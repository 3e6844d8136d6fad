import { newId } from '@audiosplit/chassis/ids';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import {
  AccountPendingDeletionError,
  FileTooLargeError,
  QueueFullError,
  QuotaExceededError,
} from './errors.ts';
import { letNextGo } from './finish-job.ts';
import { type AccountLimits, type Job, MAX_QUEUED_PER_ACCOUNT, type SplitRequest } from './job.ts';
import type { KnownLimits } from './limits.ts';
import { changeCounters, lockAccountQueue } from './store/account-queue.ts';
import { insertJob } from './store/jobs.ts';

export interface CreateJobDependencies {
  readonly pool: Pool;
  readonly limits: KnownLimits;
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
  const { pool, wakeRelay } = dependencies;
  const { accountId } = wish;
  await requireAllowance(dependencies, wish);

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

/**
 * Whoever is turned away by what is known here may have upgraded a moment ago: billing has the last word. Throws
 * QuotaExceededError, FileTooLargeError.
 */
async function requireAllowance(
  { limits, fetchQuotaLeftMs, inspectSource }: CreateJobDependencies,
  { accountId, request }: JobWish,
): Promise<void> {
  const [known, sizeBytes] = await Promise.all([limits.of(accountId), inspectSource(request.sourceUrl)]);
  const refusalUnder = async ({ maxFileSizeBytes, overageAllowed }: AccountLimits) => {
    if (sizeBytes !== undefined && sizeBytes > maxFileSizeBytes) {
      return new FileTooLargeError(sizeBytes, maxFileSizeBytes);
    }
    if (!overageAllowed && (await fetchQuotaLeftMs(accountId)) <= 0) return new QuotaExceededError();
    return undefined;
  };
  const refusal = await refusalUnder(known);
  if (refusal === undefined) return;
  const latest = await limits.latestOf(accountId);
  if (latest.revision === known.revision) throw refusal;
  const lastWord = await refusalUnder(latest);
  if (lastWord !== undefined) throw lastWord;
}
