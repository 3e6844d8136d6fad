/**
 * Deletes objects that are no longer referenced: those of deleted jobs, abandoned attempts and expired
 * segments, and uploads that are too old to be used.
 */
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { type JobRef, objectPrefixOf, segmentsKeptUntil, uploadsPrefixOf } from '../job.ts';
import { segmentsExpired } from '../outgoing-events.ts';
import { lockJob } from '../store/job/jobs.ts';
import { lockAccountQueue } from '../store/queue/account-queue.ts';
import {
  expireSegments,
  findDueDeletions,
  findExpiredSegments,
  forgetDeletion,
  scheduleDeletion,
} from '../store/retention.ts';
import { findExpiredUploads, forgetUpload } from '../store/uploads/uploads.ts';
import { tailsPrefixOf, uploadPrefixOf } from '../uploads/resumable-upload.ts';

const BATCH_SIZE = 100;
/** The gateway's upload URLs are valid for less than this. */
const UPLOAD_LIFETIME_MS = 48 * 3_600_000;
const UPLOADS_PREFIX = 'uploads/';

export interface SweepDependencies {
  readonly pool: Pool;
  readonly openStore: () => Promise<ObjectStore>;
}

/** The objects are deleted before the prefix is forgotten: after a crash in between, deleting them again is harmless. */
export async function deleteObjects({ pool, openStore }: SweepDependencies, prefix: string): Promise<void> {
  const store = await openStore();
  await store.deletePrefix(prefix);
  if (prefix.startsWith(UPLOADS_PREFIX)) await store.abortMultiparts(prefix);
  await forgetDeletion(pool, prefix);
}

export async function deleteScheduledObjects(
  dependencies: SweepDependencies,
  stopping?: AbortSignal,
): Promise<void> {
  let prefixes: readonly string[];
  do {
    prefixes = await findDueDeletions(dependencies.pool, BATCH_SIZE);
    for (const prefix of prefixes) {
      if (stopping?.aborted) return;
      await deleteObjects(dependencies, prefix);
    }
  } while (prefixes.length === BATCH_SIZE);
}

export async function expireOldSegments(
  pool: Pool,
  retentionMs: number,
  wakeRelay: () => void,
  stopping?: AbortSignal,
): Promise<void> {
  let expired: readonly JobRef[];
  do {
    expired = await findExpiredSegments(pool, retentionMs, BATCH_SIZE);
    for (const ref of expired) {
      if (stopping?.aborted) break;
      await expireSegmentsOf(pool, ref, retentionMs);
    }
    wakeRelay();
  } while (expired.length === BATCH_SIZE && !stopping?.aborted);
}

async function expireSegmentsOf(pool: Pool, { id, accountId }: JobRef, retentionMs: number): Promise<void> {
  await withTransaction(pool, async (client) => {
    await lockAccountQueue(client, accountId);
    const job = await lockJob(client, accountId, id);
    const expiredAt = job && segmentsKeptUntil(job, retentionMs);
    if (job === undefined || expiredAt === undefined) return;
    await appendToOutbox(client, [segmentsExpired(job)]);
    await expireSegments(client, id, expiredAt);
    await scheduleDeletion(client, [objectPrefixOf(id)], 0);
  });
}

export async function sweepOldUploads(
  { pool, openStore }: SweepDependencies,
  now: Date,
  stopping?: AbortSignal,
): Promise<void> {
  const store = await openStore();
  let old: string[] = [];
  for await (const object of store.list(UPLOADS_PREFIX)) {
    if (stopping?.aborted) return;
    if (object.modifiedAt.getTime() >= now.getTime() - UPLOAD_LIFETIME_MS) continue;
    old.push(object.key);
    if (old.length < BATCH_SIZE) continue;
    await store.delete(old);
    old = [];
  }
  await store.delete(old);
  await removeUnusedUploads(pool, store, stopping);
}

/** Uploads whose links have expired: no job can use them any more. */
async function removeUnusedUploads(pool: Pool, store: ObjectStore, stopping?: AbortSignal): Promise<void> {
  let expired: readonly JobRef[];
  do {
    expired = await findExpiredUploads(pool, BATCH_SIZE);
    for (const ref of expired) {
      if (stopping?.aborted) return;
      // The file's name follows, if it has one.
      await store.delete([uploadsPrefixOf(ref.accountId) + ref.id]);
      await store.deletePrefix(uploadPrefixOf(ref));
      await store.deletePrefix(tailsPrefixOf(ref));
      await store.abortMultiparts(uploadPrefixOf(ref));
      await forgetUpload(pool, ref.id);
    }
  } while (expired.length === BATCH_SIZE);
}
