/** The state of an upload in parts, and its changes (decision 64). */
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { UploadNotFoundError, UploadOffsetConflictError } from '../errors.ts';
import { uploadsPrefixOf } from '../job.ts';
import { scheduleDeletion } from '../store/retention.ts';
import {
  type ArrivedBytes,
  addArrivedBytes,
  deleteResumableUpload,
  findResumableUpload,
  type ResumableUpload,
  takePartNumber,
  type UploadRef,
} from '../store/uploads/resumable-uploads.ts';

/** Throws UploadNotFoundError. */
export async function readResumableUpload(pool: Pool, ref: UploadRef): Promise<ResumableUpload> {
  const upload = await findResumableUpload(pool, ref);
  if (upload === undefined) throw new UploadNotFoundError(ref.id);
  return upload;
}

/** Throws UploadNotFoundError. */
export async function takeUploadPart(pool: Pool, ref: UploadRef): Promise<number> {
  const number = await takePartNumber(pool, ref);
  if (number === undefined) throw new UploadNotFoundError(ref.id);
  return number;
}

/** Throws UploadOffsetConflictError, UploadNotFoundError. */
export async function addUploadBytes(pool: Pool, ref: UploadRef, arrived: ArrivedBytes): Promise<void> {
  await withTransaction(pool, async (client) => {
    const added = await addArrivedBytes(client, ref, arrived);
    if (added === undefined) {
      const { arrivedBytes } = await readResumableUpload(pool, ref);
      throw new UploadOffsetConflictError(arrivedBytes);
    }
    if (added.formerTailId === undefined) return;
    await scheduleDeletion(client, [`${tailsPrefixOf(ref)}${added.formerTailId}/`], 0);
  });
}

/** Throws UploadOffsetConflictError if it is complete, or UploadNotFoundError. */
export async function removeResumableUpload(pool: Pool, ref: UploadRef): Promise<void> {
  await withTransaction(pool, async (client) => {
    if (!(await deleteResumableUpload(client, ref))) {
      const { arrivedBytes } = await readResumableUpload(pool, ref);
      throw new UploadOffsetConflictError(arrivedBytes);
    }
    await scheduleDeletion(client, [uploadPrefixOf(ref), tailsPrefixOf(ref)], 0);
  });
}

/** The prefix of the object, and of the parts before they are joined. */
export function uploadPrefixOf({ id, accountId }: UploadRef): string {
  return `${uploadsPrefixOf(accountId)}${id}/`;
}

/** A prefix of its own, because some stores refuse a folder below an object. */
export function tailsPrefixOf({ id, accountId }: UploadRef): string {
  return `${uploadsPrefixOf(accountId)}${id}.tails/`;
}
