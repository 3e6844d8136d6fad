import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';

/**
 * The object store port: whole objects under `/`-separated keys.
 *
 * Adapters: `s3.ts` and `files.ts`; `object-store.contract.ts` holds both to the same promises. Only complete
 * objects are visible: a failed or aborted `put` leaves nothing under its key. While a store is unavailable
 * every call fails with UnavailableError, in bounded time.
 */
export interface ObjectStore extends AsyncDisposable {
  /** Maximum bytes that one `put` of this length holds in memory; undefined: of unknown length. */
  putMemoryBytes(sizeBytes: number | undefined): number;
  /**
   * Streams `body` in; memory use is bounded whatever its length. Replaces an object of the same key. On
   * failure the body is destroyed.
   */
  put(key: string, body: Readable, options: PutOptions): Promise<StoredObject>;
  /** Stores a file of this machine, like `put`. Afterwards nothing is left at its path. */
  putFile(key: string, path: string, options: PutOptions): Promise<StoredObject>;
  /**
   * Throws ObjectNotFoundError, or RangeError if `range` (inclusive, in bytes) does not lie within the
   * object. A caller that does not read the body to its end must destroy it.
   */
  get(key: string, range?: ByteRange): Promise<ObjectBody>;
  /** Throws ObjectNotFoundError. */
  head(key: string): Promise<StoredObject>;
  /** Lists the objects below a prefix that ends with `/`, in the order of the keys' UTF-8 bytes, streamed. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Deleting a missing object is no error. */
  delete(keys: readonly string[]): Promise<void>;
  /** Deletes everything below a prefix that ends with `/`. */
  deletePrefix(prefix: string): Promise<void>;
  /** Begins a multipart object and returns its upload id. Nothing is visible until it is completed. */
  beginMultipart(key: string, options: { readonly contentType: string }): Promise<string>;
  /**
   * Streams one part in, like a `put` of a known length, and returns its tag for `completeMultipart`. Every
   * part except the last has at least 5 MiB (S3's minimum). Throws MultipartNotFoundError.
   */
  putPart(part: PartTarget, body: Readable, sizeBytes: number): Promise<string>;
  /**
   * Joins these parts to an object, in the order of their numbers. Other parts are dropped. Throws
   * MultipartNotFoundError.
   */
  completeMultipart(
    multipart: MultipartRef,
    parts: readonly { readonly number: number; readonly tag: string }[],
  ): Promise<void>;
  /** Aborts all multipart uploads below a prefix that ends with `/`, and drops their parts. */
  abortMultiparts(prefix: string): Promise<void>;
  /** Resolves when the store can be reached, rejects with the reason otherwise. For readiness. */
  check(): Promise<void>;
}

export interface PutOptions {
  readonly contentType: string;
  /** Exact length of the body, if known. A shorter body is an error and leaves nothing behind. */
  readonly sizeBytes?: number | undefined;
  readonly signal?: AbortSignal;
}

export interface MultipartRef {
  readonly key: string;
  readonly multipartId: string;
}

export interface PartTarget extends MultipartRef {
  /** From 1 to 10,000 (S3's maximum). Replaces a part of the same number. */
  readonly number: number;
}

export interface ByteRange {
  readonly firstByte: number;
  readonly lastByte: number;
}

export interface ListedObject {
  readonly key: string;
  /** Of the whole object. */
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
}

export interface StoredObject extends ListedObject {
  readonly contentType: string;
}

export interface ObjectBody extends StoredObject {
  /** The bytes of the range, or of the whole object. */
  readonly body: Readable;
  /**
   * Set for a whole object on this machine: the file whose first `sizeBytes` bytes are the object's. The file
   * is never modified, but may be replaced or removed.
   */
  readonly path?: string;
}

/** `putFile` of a store that takes only streams. */
export function putFileBy(put: ObjectStore['put']): ObjectStore['putFile'] {
  return async (key, path, options) => {
    const object = await put(key, createReadStream(path), options);
    await rm(path, { force: true });
    return object;
  };
}

export class ObjectNotFoundError extends Error {
  override readonly name = 'ObjectNotFoundError';
  readonly key: string;
  constructor(key: string) {
    super(`no object under ${JSON.stringify(key)}`);
    this.key = key;
  }
}

/** The upload is unknown, complete or aborted, or lacks the named part. */
export class MultipartNotFoundError extends Error {
  override readonly name = 'MultipartNotFoundError';
  readonly key: string;
  constructor(key: string, cause?: unknown) {
    super(`no begun object or part under ${JSON.stringify(key)}`, { cause });
    this.key = key;
  }
}

/**
 * Thrown for keys that no adapter accepts: empty ones; ones with empty or dot segments, control characters, a
 * backslash or lone surrogates; ones over 1,024 bytes (S3's maximum), or with a segment of over 250
 * characters once percent-encoded (file systems limit names to 255 bytes).
 */
export class InvalidObjectKeyError extends Error {
  override readonly name = 'InvalidObjectKeyError';
  readonly key: string;
  constructor(key: string) {
    super(`not a valid object key: ${JSON.stringify(key)}`);
    this.key = key;
  }
}

export function assertObjectKey(key: string): void {
  if (!isObjectKey(key)) throw new InvalidObjectKeyError(key);
}

/** A prefix is a key followed by `/`, so no prefix denotes the whole store. */
export function assertObjectPrefix(prefix: string): void {
  if (!prefix.endsWith('/') || !isObjectKey(prefix.slice(0, -1))) throw new InvalidObjectKeyError(prefix);
}

const MAX_KEY_BYTES = 1_024;
const MAX_ENCODED_SEGMENT_LENGTH = 250;

export function isObjectKey(key: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (!key.isWellFormed() || /[\u0000-\u001f\u007f\\]/.test(key)) return false;
  if (Buffer.byteLength(key) > MAX_KEY_BYTES) return false;
  return key.split('/').every(isSegment);
}

function isSegment(segment: string): boolean {
  if (segment === '' || segment === '.' || segment === '..') return false;
  return encodeURIComponent(segment).length <= MAX_ENCODED_SEGMENT_LENGTH;
}

export function assertRangeWithin(object: ListedObject, { firstByte, lastByte }: ByteRange): void {
  if (firstByte < 0 || lastByte < firstByte || lastByte >= object.sizeBytes) {
    throw new RangeError(
      `bytes ${firstByte} to ${lastByte} are not within the ${object.sizeBytes} bytes of ${JSON.stringify(object.key)}`,
    );
  }
}

/** Checks an object that was put with a known length. */
export function requireSize(object: ListedObject, sizeBytes: number | undefined): void {
  if (sizeBytes === undefined || object.sizeBytes === sizeBytes) return;
  throw new RangeError(
    `${JSON.stringify(object.key)} has ${object.sizeBytes} bytes instead of the ${sizeBytes} that were announced`,
  );
}
