/**
 * The object store on S3, or on any server that speaks its protocol (versitygw, MinIO, Ceph).
 *
 * - Servers that store objects as files (versitygw's posix backend) refuse an object if another key has a
 *   folder of the same name, and refuse names that the file system does not allow. S3 itself accepts both.
 * - If the server is unreachable, overloaded or silent, UnavailableError is thrown after the SDK's own
 *   attempts: within ANSWER_TIMEOUT_MS in total for requests without a body, within UPLOAD_TIMEOUT_MS for
 *   each part of an upload.
 * - An object of a known length is streamed in one request. The request is not retried, because the bytes
 *   sent are no longer in memory. Other objects are sent in parts.
 * - An upload that fails or is aborted deletes the parts it has sent before it rejects. Parts of a process
 *   that was killed stay: give the bucket a lifecycle rule that aborts incomplete multipart uploads after two
 *   days.
 */
import { unlink } from 'node:fs/promises';
import { addAbortSignal, Readable } from 'node:stream';
import {
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createFileBuffers } from './file-buffers.ts';
import {
  assertObjectKey,
  assertObjectPrefix,
  assertRangeWithin,
  type ByteRange,
  type ListedObject,
  type ObjectBody,
  type ObjectStore,
  putFileBy,
  type StoredObject,
} from './object-store.ts';
import { answerInTime, explain } from './s3-answers.ts';
import { createS3Parts } from './s3-parts.ts';
import { isStreamed, putStreamed, STREAM_MEMORY_BYTES } from './s3-streamed-put.ts';

interface S3ObjectStoreOptions {
  readonly bucket: string;
  /**
   * The endpoint of a server other than AWS's; the bucket is then part of the path instead of the host name.
   */
  readonly endpoint?: string;
  /** Default: from the AWS environment. */
  readonly region?: string;
  /** Default: from the AWS environment (variables, profile, role of the machine). */
  readonly credentials?: { readonly accessKeyId: string; readonly secretAccessKey: string };
}

/** The largest batch that DeleteObjects accepts. */
const DELETE_BATCH = 1_000;
/**
 * S3 accepts at most 10,000 parts: objects of up to 80 GB. Memory use is the parts in flight times their
 * size.
 */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_IN_FLIGHT = 2;
const PARTS_MEMORY_BYTES = (PARTS_IN_FLIGHT + 1) * PART_BYTES;
/** Of small files, each of the size of a part. */
const MAX_IDLE_BUFFERS = 4;
/** S3 refuses a chunk of fewer than 8 KiB before the last one; a network splits a body anywhere. */
const CHUNK_BYTES = 64 * 1024;
const CONNECT_TIMEOUT_MS = 2_000;
/** Until a response begins, all attempts together: the caller is waiting. */
const ANSWER_TIMEOUT_MS = 5_000;
/** For batch operations in the background. */
const BATCH_TIMEOUT_MS = 30_000;
/** For one part, from its first byte sent until the response begins. */
const UPLOAD_TIMEOUT_MS = 15_000;
/** A reader of a download may be slow; the store is not. */
const IDLE_TIMEOUT_MS = 60_000;

export function openS3ObjectStore(options: S3ObjectStoreOptions): ObjectStore {
  const { bucket: Bucket, endpoint, region, credentials } = options;
  const client = new S3Client({
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(region === undefined ? {} : { region }),
    ...(credentials === undefined ? {} : { credentials }),
    requestStreamBufferSize: CHUNK_BYTES,
    requestHandler: {
      connectionTimeout: CONNECT_TIMEOUT_MS,
      requestTimeout: UPLOAD_TIMEOUT_MS,
      throwOnRequestTimeout: true,
      socketTimeout: IDLE_TIMEOUT_MS,
    },
  });

  const deleteBatch = async (keys: readonly string[]) => {
    if (keys.length === 0) return;
    const { Errors: errors = [] } = await answerInTime(BATCH_TIMEOUT_MS, (abortSignal) =>
      client.send(
        new DeleteObjectsCommand({ Bucket, Delete: { Objects: keys.map((Key) => ({ Key })), Quiet: true } }),
        { abortSignal },
      ),
    );
    const [first] = errors.filter((error) => error.Code !== 'NoSuchKey');
    if (first !== undefined) {
      throw new Error(
        `${errors.length} objects were not deleted, the first: ${first.Key}: ${first.Code} ${first.Message}`,
      );
    }
  };

  async function* list(prefix: string): AsyncGenerator<ListedObject> {
    let token: string | undefined;
    do {
      const page = await answerInTime(BATCH_TIMEOUT_MS, (abortSignal) =>
        client.send(
          new ListObjectsV2Command({ Bucket, Prefix: prefix, ...(token && { ContinuationToken: token }) }),
          { abortSignal },
        ),
      );
      for (const { Key, Size, LastModified } of page.Contents ?? []) {
        // Some tools mark folders by empty objects whose keys end with a slash; our objects never do.
        if (Key === undefined || Key.endsWith('/')) continue;
        yield { key: Key, sizeBytes: Size ?? 0, modifiedAt: LastModified ?? new Date(0) };
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  /** In parts, each of which is held in memory and sent again if it fails. */
  const putInParts = async (key: string, body: Readable, contentType: string) => {
    let sizeBytes = 0;
    const counted = body.map((chunk: string | Uint8Array) => {
      sizeBytes += Buffer.byteLength(chunk);
      return chunk;
    });
    await new Upload({
      client,
      params: { Bucket, Key: key, Body: counted, ContentType: contentType },
      partSize: PART_BYTES,
      queueSize: PARTS_IN_FLIGHT,
    }).done();
    return sizeBytes;
  };

  const put: ObjectStore['put'] = async (key, body, { contentType, sizeBytes, signal }) => {
    try {
      assertObjectKey(key);
      // Ending the body ends the upload, which then cleans up before it rejects. The upload's own `abort`
      // would reject at once, while a last request could still finish and become visible.
      if (signal !== undefined) addAbortSignal(signal, body);
      const object = { key, contentType, modifiedAt: new Date() };
      if (isStreamed(sizeBytes)) {
        await putStreamed(body, sizeBytes, (streamed, sending) =>
          client.send(
            new PutObjectCommand({ Bucket, Key: key, ContentType: contentType, ...streamed }),
            sending,
          ),
        );
        return { ...object, sizeBytes };
      }
      return { ...object, sizeBytes: await putInParts(key, body, contentType) };
    } catch (error) {
      // An error of the body is not the store's fault.
      const failure = error === body.errored ? error : explain(key, error);
      body.destroy();
      throw failure;
    }
  };

  const fileBuffers = createFileBuffers(PART_BYTES, MAX_IDLE_BUFFERS);
  const putLargeFile = putFileBy(put);

  /** A file of at most one part is sent from one buffer, which costs a fraction of a stream's many. */
  const putFile: ObjectStore['putFile'] = async (key, path, options) => {
    assertObjectKey(key);
    const { contentType, signal } = options;
    const sizeBytes = await fileBuffers.read(path, async (Body) => {
      signal?.throwIfAborted();
      // The signal does not end the request: it could still become visible.
      await client
        .send(new PutObjectCommand({ Bucket, Key: key, ContentType: contentType, Body }))
        .catch((error: unknown) => {
          throw explain(key, error);
        });
      return Body.length;
    });
    if (sizeBytes === undefined) return await putLargeFile(key, path, options);
    await unlink(path);
    return { key, contentType, sizeBytes, modifiedAt: new Date() };
  };

  return {
    putMemoryBytes: (sizeBytes) => (isStreamed(sizeBytes) ? STREAM_MEMORY_BYTES : PARTS_MEMORY_BYTES),
    put,
    putFile,

    async get(key, range): Promise<ObjectBody> {
      assertObjectKey(key);
      if (range !== undefined && !(range.firstByte >= 0 && range.firstByte <= range.lastByte)) {
        throw new RangeError(`not a range: bytes ${range.firstByte} to ${range.lastByte}`);
      }
      const response = await answerInTime(
        ANSWER_TIMEOUT_MS,
        (abortSignal) =>
          client.send(
            new GetObjectCommand({
              Bucket,
              Key: key,
              ...(range && { Range: `bytes=${range.firstByte}-${range.lastByte}` }),
            }),
            { abortSignal },
          ),
        key,
      );
      const { Body: body } = response;
      if (!(body instanceof Readable)) throw new Error(`S3 sent no body for ${JSON.stringify(key)}`);
      try {
        const sizeBytes = range ? totalOf(response.ContentRange, range) : (response.ContentLength ?? 0);
        const object = storedObject(key, sizeBytes, response);
        if (range !== undefined) assertRangeWithin(object, range);
        return { ...object, body };
      } catch (error) {
        body.destroy();
        throw error;
      }
    },

    async head(key) {
      assertObjectKey(key);
      const response = await answerInTime(
        ANSWER_TIMEOUT_MS,
        (abortSignal) => client.send(new HeadObjectCommand({ Bucket, Key: key }), { abortSignal }),
        key,
      );
      return storedObject(key, response.ContentLength ?? 0, response);
    },

    list(prefix) {
      assertObjectPrefix(prefix);
      return list(prefix);
    },

    async delete(keys) {
      keys.forEach(assertObjectKey);
      for (let start = 0; start < keys.length; start += DELETE_BATCH) {
        await deleteBatch(keys.slice(start, start + DELETE_BATCH));
      }
    },

    async deletePrefix(prefix) {
      assertObjectPrefix(prefix);
      let batch: string[] = [];
      for await (const { key } of list(prefix)) {
        batch.push(key);
        if (batch.length < DELETE_BATCH) continue;
        await deleteBatch(batch);
        batch = [];
      }
      await deleteBatch(batch);
    },

    async check() {
      await answerInTime(ANSWER_TIMEOUT_MS, (abortSignal) =>
        client.send(new HeadBucketCommand({ Bucket }), { abortSignal }),
      );
    },

    ...createS3Parts(client, Bucket),

    async [Symbol.asyncDispose]() {
      client.destroy();
    },
  };
}

function storedObject(
  key: string,
  sizeBytes: number,
  response: { readonly ContentType?: string | undefined; readonly LastModified?: Date | undefined },
): StoredObject {
  return {
    key,
    sizeBytes,
    contentType: response.ContentType ?? 'application/octet-stream',
    modifiedAt: response.LastModified ?? new Date(0),
  };
}

/** The total size from `bytes 0-9/100` (RFC 9110, 14.4). */
function totalOf(contentRange: string | undefined, range: ByteRange): number {
  const total = /\/(\d+)$/.exec(contentRange ?? '')?.[1];
  if (total === undefined) {
    throw new Error(
      `S3 did not answer with bytes ${range.firstByte} to ${range.lastByte}, as it was asked to`,
    );
  }
  return Number(total);
}
