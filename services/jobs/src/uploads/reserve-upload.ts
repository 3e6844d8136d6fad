/**
 * Reserves an upload if the account has room: for another upload in progress, and for bytes that no job uses
 * yet. Announced bytes are reserved here; those of other uploads count as they arrive.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { formatBytes } from '@audiosplit/chassis/format-bytes';
import { newId } from '@audiosplit/chassis/ids';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { AccountPendingDeletionError, UploadLimitReachedError, UploadTooLargeError } from '../errors.ts';
import type { AccountLimits } from '../job.ts';
import { lockAccountQueue } from '../store/queue/account-queue.ts';
import { insertUpload, readUploadUse, type UploadUse } from '../store/uploads/uploads.ts';
import type { KnownLimits } from '../submit/limits.ts';

export interface UploadBounds {
  readonly perConcurrentJob: number;
  readonly unusedPerFileSize: number;
}

export interface ReserveUploadDependencies {
  readonly pool: Pool;
  readonly limits: KnownLimits;
  readonly clock: Clock;
  readonly uploadBounds: UploadBounds;
}

interface ReservedUpload {
  readonly uploadId: string;
  readonly reservedAt: Date;
}

/** The lifetime of the gateway's links. */
const LINK_LIFETIME_MS = 24 * 3_600_000;

/** Throws UploadTooLargeError, UploadLimitReachedError, AccountPendingDeletionError. */
export async function reserveUpload(
  { pool, limits, clock, uploadBounds }: ReserveUploadDependencies,
  accountId: string,
  sizeBytes: number | undefined,
): Promise<ReservedUpload> {
  const reservedAt = clock();
  const uploadId = newId('upl', reservedAt);
  const refusalUnder = async (db: Queryable, known: AccountLimits) => {
    if (sizeBytes !== undefined && sizeBytes > known.maxFileSizeBytes) {
      return new UploadTooLargeError(sizeBytes, known.maxFileSizeBytes);
    }
    return limitReached(await readUploadUse(db, accountId), known, uploadBounds, sizeBytes ?? 0);
  };
  /** Under the account's lock, so that two concurrent announcements cannot both take the last room. */
  const reserve = (announcedBytes: number, known: AccountLimits) =>
    withTransaction(pool, async (client) => {
      if ((await lockAccountQueue(client, accountId)).closed) throw new AccountPendingDeletionError();
      const refusal = await refusalUnder(client, known);
      if (refusal !== undefined) return refusal;
      const expiresAt = new Date(reservedAt.getTime() + LINK_LIFETIME_MS);
      await insertUpload(client, { id: uploadId, accountId, announcedBytes, expiresAt });
      return undefined;
    });
  const attempt = (known: AccountLimits) =>
    sizeBytes === undefined ? refusalUnder(pool, known) : reserve(sizeBytes, known);

  const known = await limits.of(accountId);
  const refusal = await attempt(known);
  if (refusal === undefined) return { uploadId, reservedAt };
  // The account may just have been upgraded.
  const latest = await limits.latestOf(accountId);
  const latestRefusal = latest.revision === known.revision ? refusal : await attempt(latest);
  if (latestRefusal !== undefined) throw latestRefusal;
  return { uploadId, reservedAt };
}

function limitReached(
  { receiving, unusedBytes }: UploadUse,
  { concurrentJobs, maxFileSizeBytes }: AccountLimits,
  { perConcurrentJob, unusedPerFileSize }: UploadBounds,
  announcedBytes: number,
): UploadLimitReachedError | undefined {
  const maxReceiving = Math.max(1, concurrentJobs) * perConcurrentJob;
  if (receiving >= maxReceiving) {
    return new UploadLimitReachedError(
      `${maxReceiving} uploads are in progress, as many as your plan allows at once: wait until one has ended.`,
    );
  }
  const maxBytes = maxFileSizeBytes * unusedPerFileSize;
  if (unusedBytes < maxBytes && unusedBytes + announcedBytes <= maxBytes) return undefined;
  return new UploadLimitReachedError(
    `Uploads that no job uses yet have ${formatBytes(unusedBytes)}, and your plan allows ${maxBytes} bytes (${formatBytes(maxBytes)}): split them first, or wait until their links end.`,
  );
}
