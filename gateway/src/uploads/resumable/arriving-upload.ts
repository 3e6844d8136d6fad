/**
 * The file of a resumable upload. The bytes that have arrived are in the store, in parts of 8 MiB. The jobs
 * service has their number (decision 64), so any gateway can continue the upload.
 */
import { Readable } from 'node:stream';
import { newId } from '@audiosplit/chassis/ids';
import {
  MultipartNotFoundError,
  ObjectNotFoundError,
  type ObjectStore,
} from '@audiosplit/chassis/object-store/object-store';
import type { AddUploadBytesRequestSchema, GetResumableUploadResponse } from '@audiosplit/proto/jobs/v1/jobs';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { ApiError } from '../../http/errors/api-error.ts';
import type { Services } from '../../services.ts';
import type { UploadTarget } from './resumable-links.ts';
import { type ByteTaker, takeBytes } from './take-bytes.ts';

/** The size that clients are advised to send in one request. */
export const PART_BYTES = 8 * 1024 * 1024;
const TAIL_TYPE = 'application/octet-stream';

export interface ArrivingUpload {
  /** Throws UPLOAD_NOT_FOUND. */
  read(): Promise<GetResumableUploadResponse>;
  /**
   * Appends `bytes` bytes of the stream, and returns how many are stored then. Throws UPLOAD_OFFSET_CONFLICT,
   * also if the stream has fewer.
   */
  append(stream: Readable, bytes: number): Promise<number>;
  /** Makes one object of the stored parts. To be called when all bytes have arrived; may be repeated. */
  complete(): Promise<void>;
  /** Throws UPLOAD_OFFSET_CONFLICT if all bytes have arrived. */
  remove(): Promise<void>;
}

export interface ArrivingUploadDependencies {
  readonly store: ObjectStore;
  readonly services: Pick<Services, 'jobs' | 'actingFor'>;
}

export function openArrivingUpload(
  { store, services: { jobs, actingFor } }: ArrivingUploadDependencies,
  { accountId, uploadId, objectKey, sizeBytes }: UploadTarget,
): ArrivingUpload {
  const as = () => actingFor({ accountId, scopes: ['splits:write'] });
  const read = () => jobs.getResumableUpload({ uploadId }, as());
  const tailKeyOf = (id: string) => `uploads/${accountId}/${uploadId}.tails/${id}/bytes`;

  /**
   * Appends the next bytes, at most until a part is full. Bytes that do not fill a part are stored as the
   * tail, which the next call reads again.
   */
  const appendOnce = async (bytes: ByteTaker, upload: Arrived, maxBytes: number): Promise<Arrived> => {
    const { multipartId, arrivedBytes, tail } = upload;
    const tailBytes = Number(tail?.sizeBytes ?? 0);
    const missingBytes = Math.min(PART_BYTES - tailBytes, sizeBytes - arrivedBytes);
    const addedBytes = Math.min(missingBytes, maxBytes);
    const keptBytes = tailBytes + addedBytes;
    const content = async function* () {
      if (tail !== undefined) yield* (await store.get(tailKeyOf(tail.id))).body;
      yield* bytes.take(addedBytes);
    };
    const body = Readable.from(content(), { objectMode: false });
    const add = (kept: NonNullable<MessageInitShape<typeof AddUploadBytesRequestSchema>['kept']>) =>
      jobs.addUploadBytes(
        { uploadId, afterBytes: BigInt(arrivedBytes), addedBytes: BigInt(addedBytes), kept },
        as(),
      );
    const after = { multipartId, arrivedBytes: arrivedBytes + addedBytes };
    if (addedBytes < missingBytes) {
      const id = newId('tail');
      await store.put(tailKeyOf(id), body, { contentType: TAIL_TYPE, sizeBytes: keptBytes });
      const kept = { id, sizeBytes: BigInt(keptBytes) };
      await add({ case: 'tail', value: kept });
      return { ...after, tail: kept };
    }
    // Each part has a number of its own, so a request that hangs in another gateway cannot replace this part.
    const { number } = await jobs.takeUploadPart({ uploadId }, as());
    const tag = await store.putPart({ key: objectKey, multipartId, number }, body, keptBytes);
    await add({ case: 'part', value: { number, tag, sizeBytes: BigInt(keptBytes) } });
    return { ...after, tail: undefined };
  };

  return {
    read,

    async append(stream, maxBytes) {
      const { multipartId, arrivedBytes, tail } = await read();
      let upload: Arrived = { multipartId, tail, arrivedBytes: Number(arrivedBytes) };
      const endBytes = upload.arrivedBytes + maxBytes;
      const bytes = takeBytes(stream);
      try {
        while (upload.arrivedBytes < endBytes) {
          upload = await appendOnce(bytes, upload, endBytes - upload.arrivedBytes);
        }
      } catch (error) {
        // MultipartNotFoundError: another request has completed the file.
        if (!bytes.isShort && !(error instanceof MultipartNotFoundError)) throw error;
        throw new ApiError(
          'UPLOAD_OFFSET_CONFLICT',
          `The request broke off, or another request has continued the upload. ${upload.arrivedBytes} bytes have arrived.`,
          { cause: error },
        );
      }
      return upload.arrivedBytes;
    },

    async complete() {
      const { multipartId, parts } = await read();
      try {
        await store.completeMultipart({ key: objectKey, multipartId }, parts);
      } catch (error) {
        // The object exists if another gateway was faster, or if a gateway died right after this step.
        if (!(error instanceof MultipartNotFoundError) || !(await isThere(store, objectKey))) throw error;
      }
    },

    async remove() {
      await jobs.removeResumableUpload({ uploadId }, as());
    },
  };
}

interface Arrived {
  readonly multipartId: string;
  readonly tail: { readonly id: string; readonly sizeBytes: bigint } | undefined;
  readonly arrivedBytes: number;
}

async function isThere(store: ObjectStore, key: string): Promise<boolean> {
  try {
    await store.head(key);
    return true;
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return false;
    throw error;
  }
}
