/**
 * Accepts a job: checks the account's allowance, then queues the job and, if there is a free slot, offers it.
 */
import { newId } from '@audiosplit/chassis/ids';
import { transactionToJoin } from '@audiosplit/chassis/postgres/joined-transaction';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { BucketObject } from '@audiosplit/proto/jobs/v1/bucket';
import type { SourceHeaders } from '@audiosplit/proto/source-headers';
import type { ConnectionBox } from '../connections/connection-box.ts';
import { findSourceConnection, requireConnection, toSourceObject } from '../connections/source-object.ts';
import { isDryRun } from '../cut-json.ts';
import {
  AccountPendingDeletionError,
  FileTooLargeError,
  QueueFullError,
  QuotaExceededError,
  SpendLimitReachedError,
} from '../errors.ts';
import type { AccountLimits, Destination, Job, NewJob, SplitRequest } from '../job.ts';
import type { FetchQuota } from '../minutes/allowance.ts';
import { splitRequested } from '../outgoing-events.ts';
import { dispatchNext } from '../queue/dispatch.ts';
import type { SourceHeaderBox } from '../source-headers.ts';
import { insertJob } from '../store/job/create-job.ts';
import { isClosed, lockAccountQueue } from '../store/queue/account-queue.ts';
import type { KnownLimits } from './limits.ts';

export interface CreateJobDependencies {
  readonly pool: Pool;
  readonly limits: KnownLimits;
  readonly fetchQuota: FetchQuota;
  /** The source's size if it is quickly known. Refuses forbidden addresses (INVALID_PARAMS). */
  readonly inspectSource: (
    accountId: string,
    request: SplitRequest,
    sourceHeaders: SourceHeaders,
    sourceObject: BucketObject | undefined,
  ) => Promise<number | undefined>;
  readonly sourceHeaderBox: SourceHeaderBox;
  readonly connectionBox: ConnectionBox;
  readonly wakeRelay: () => void;
}

export interface CreateJobRequest extends Omit<NewJob, 'id' | 'inspectedBytes'> {
  readonly sourceHeaders: SourceHeaders;
  readonly destination: Omit<Destination, 'connectionId'> | undefined;
}

/**
 * Throws InvalidParamsError, ConnectionSecretLostError, QuotaExceededError, SpendLimitReachedError, FileTooLargeError, QueueFullError, AccountPendingDeletionError.
 */
export async function createJob(
  dependencies: CreateJobDependencies,
  requested: CreateJobRequest,
): Promise<Job> {
  const { pool, wakeRelay } = dependencies;
  const { accountId } = requested;
  const { cut } = requested.request;
  const { sourceUrl } = requested.request;
  const connection = await findSourceConnection(pool, accountId, sourceUrl, 'sourceUrl');
  const sourceObject = connection && toSourceObject(dependencies.connectionBox, connection, sourceUrl);
  const destination = await findDestination(pool, accountId, requested.destination);
  const sizeBytes = dependencies.inspectSource(
    accountId,
    requested.request,
    requested.sourceHeaders,
    sourceObject,
  );
  const inspectedBytes = await requireAllowance(dependencies, { accountId, cut, sizeBytes });

  const { sourceHeaders, destination: _, ...request } = requested;
  const job: NewJob = {
    id: newId('job'),
    ...request,
    request: { ...request.request, sourceConnectionId: connection?.id, destination },
    inspectedBytes,
  };
  const sealedHeaders =
    job.request.sourceHeaderNames.length === 0
      ? undefined
      : dependencies.sourceHeaderBox.seal(job.id, sourceHeaders);
  const offer = splitRequested({ accountId, jobId: job.id, part: undefined });
  const insert = (db: Queryable) => insertJob(db, job, sealedHeaders, offer);
  // A single statement needs no transaction of its own, but it must join that of the call if there is one.
  const joined = transactionToJoin(pool);
  const created = await (joined === undefined ? insert(pool) : joined.join(insert));
  if (created === undefined) {
    throw (await isClosed(pool, accountId)) ? new AccountPendingDeletionError() : new QueueFullError();
  }
  if (created.othersCouldGo) {
    const dispatched = withTransaction(pool, async (client) => {
      await dispatchNext(client, accountId, await lockAccountQueue(client, accountId));
    });
    // The job exists: after an error the client would create another. The reaper dispatches waiting jobs.
    await (joined === undefined ? dispatched.catch(() => undefined) : dispatched);
  }
  if (created.isOffered || created.othersCouldGo) wakeRelay();
  return created.job;
}

async function findDestination(
  db: Queryable,
  accountId: string,
  wanted: CreateJobRequest['destination'],
): Promise<Destination | undefined> {
  if (wanted === undefined) return undefined;
  const { id } = await requireConnection(db, accountId, wanted.connection, 'destination.connection');
  return { ...wanted, connectionId: id };
}

/**
 * Returns the source's size if it is known. Checks only counted minutes, not reservations of running jobs.
 * Billing confirms a refusal, because the account may just have been upgraded. Throws QuotaExceededError,
 * SpendLimitReachedError, FileTooLargeError.
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
    if (overageAllowed) return spendLimitReached ? new SpendLimitReachedError(current) : undefined;
    const { leftMs } = await fetchQuota(accountId, []);
    return leftMs !== undefined && leftMs <= 0 ? new QuotaExceededError(current) : undefined;
  };
  const refusal = await refusalUnder(known);
  if (refusal === undefined) return sizeBytes;
  const latest = await limits.latestOf(accountId);
  if (latest.revision === known.revision) throw refusal;
  const latestRefusal = await refusalUnder(latest);
  if (latestRefusal !== undefined) throw latestRefusal;
  return sizeBytes;
}
