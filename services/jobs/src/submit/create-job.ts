/** How a job is accepted: the account's allowance is checked, then the job is queued and, if there is room, offered. */
import { newId } from '@audiosplit/chassis/ids';
import { transactionToJoin } from '@audiosplit/chassis/postgres/joined-transaction';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { SourceHeaders } from '@audiosplit/proto/source-headers';
import { isDryRun } from '../cut-json.ts';
import {
  AccountPendingDeletionError,
  FileTooLargeError,
  QueueFullError,
  QuotaExceededError,
  SpendLimitReachedError,
} from '../errors.ts';
import type { AccountLimits, Job, NewJob, SplitRequest } from '../job.ts';
import type { FetchQuota } from '../minutes/allowance.ts';
import { splitRequested } from '../outgoing-events.ts';
import { dispatchNext } from '../queue/dispatch.ts';
import type { SourceHeaderBox } from '../source-headers.ts';
import { isClosed, lockAccountQueue } from '../store/account-queue.ts';
import { insertJob } from '../store/create-job.ts';
import type { KnownLimits } from './limits.ts';

export interface CreateJobDependencies {
  readonly pool: Pool;
  readonly limits: KnownLimits;
  readonly fetchQuota: FetchQuota;
  /** The source's size, if it is quickly known. Refuses forbidden addresses (INVALID_PARAMS). */
  readonly inspectSource: (
    accountId: string,
    request: SplitRequest,
    sourceHeaders: SourceHeaders,
  ) => Promise<number | undefined>;
  readonly sourceHeaderBox: SourceHeaderBox;
  readonly wakeRelay: () => void;
}

export interface CreateJobRequest extends Omit<NewJob, 'id' | 'inspectedBytes'> {
  readonly sourceHeaders: SourceHeaders;
}

/**
 * Throws QuotaExceededError, SpendLimitReachedError, FileTooLargeError, QueueFullError, AccountPendingDeletionError.
 */
export async function createJob(
  dependencies: CreateJobDependencies,
  requested: CreateJobRequest,
): Promise<Job> {
  const { pool, wakeRelay } = dependencies;
  const { accountId } = requested;
  const { cut } = requested.request;
  const sizeBytes = dependencies.inspectSource(accountId, requested.request, requested.sourceHeaders);
  const inspectedBytes = await requireAllowance(dependencies, { accountId, cut, sizeBytes });

  const { sourceHeaders, ...request } = requested;
  const job: NewJob = { id: newId('job'), ...request, inspectedBytes };
  const sealedHeaders =
    job.request.sourceHeaderNames.length === 0
      ? undefined
      : dependencies.sourceHeaderBox.seal(job.id, sourceHeaders);
  const offer = splitRequested({ accountId, jobId: job.id, part: undefined });
  const insert = (db: Queryable) => insertJob(db, job, sealedHeaders, offer);
  // A single statement needs no transaction, unless it belongs to that of the call.
  const joined = transactionToJoin(pool);
  const created = await (joined === undefined ? insert(pool) : joined.join(insert));
  if (created === undefined) {
    throw (await isClosed(pool, accountId)) ? new AccountPendingDeletionError() : new QueueFullError();
  }
  if (created.othersCouldGo) {
    const dispatched = withTransaction(pool, async (client) => {
      await dispatchNext(client, accountId, await lockAccountQueue(client, accountId));
    });
    // The job exists: after an error the client would create another. The reaper dispatches what waits.
    await (joined === undefined ? dispatched.catch(() => undefined) : dispatched);
  }
  if (created.isOffered || created.othersCouldGo) wakeRelay();
  return created.job;
}

/**
 * Gives the source's size if it is known. Only what is counted is asked for, not what running jobs hold. Billing confirms a
 * refusal, as the account may just have been upgraded. Throws QuotaExceededError, SpendLimitReachedError,
 * FileTooLargeError.
 */
export async function requireAllowance(
  { limits, fetchQuota }: Pick<CreateJobDependencies, 'limits' | 'fetchQuota'>,
  wanted: {
    readonly accountId: string;
    readonly cut: SplitRequest['cut'];
    readonly sizeBytes: Promise<number | undefined> | undefined;
  },
): Promise<number | undefined> {
  const { accountId, cut } = wanted;
  const [known, sizeBytes] = await Promise.all([limits.of(accountId), wanted.sizeBytes]);
  const refusalUnder = async (current: AccountLimits) => {
    const { maxFileSizeBytes, overageAllowed, spendLimitReached } = current;
    if (sizeBytes !== undefined && sizeBytes > maxFileSizeBytes) {
      return new FileTooLargeError(sizeBytes, maxFileSizeBytes);
    }
    // It uses none.
    if (isDryRun(cut)) return undefined;
    if (overageAllowed) return spendLimitReached ? new SpendLimitReachedError() : undefined;
    const { leftMs } = await fetchQuota(accountId, []);
    return leftMs !== undefined && leftMs <= 0 ? new QuotaExceededError() : undefined;
  };
  const refusal = await refusalUnder(known);
  if (refusal === undefined) return sizeBytes;
  const latest = await limits.latestOf(accountId);
  if (latest.revision === known.revision) throw refusal;
  const latestRefusal = await refusalUnder(latest);
  if (latestRefusal !== undefined) throw latestRefusal;
  return sizeBytes;
}
