import type { Readable } from 'node:stream';

/**
 * The object store port: whole objects under `/`-separated keys.
 *
 * Adapters: `s3.ts` and `files.ts`; `object-store.contract.ts` holds both to the same promises. An object
 * is visible only whole: a failed or aborted `put` leaves nothing under its key. While a store is away everything is
 * refused with UnavailableError, in bounded time.
 */
export interface ObjectStore extends AsyncDisposable {
  /** The most bytes that one `put` of such a length holds in memory; undefined: of an unknown one. */
  putMemoryBytes(sizeBytes: number | undefined): number;
  /**
   * Streams `body` in; memory stays bounded whatever its length. Replaces an object of the same key. When it
   * fails the body is destroyed.
   */
  put(key: string, body: Readable, options: PutOptions): Promise<StoredObject>;
  /**
   * Throws ObjectNotFoundError, and RangeError where `range` (inclusive, in bytes) does not lie within the
   * object. A caller that does not read the body to its end must destroy it.
   */
  get(key: string, range?: ByteRange): Promise<ObjectBody>;
  /** Throws ObjectNotFoundError. */
  head(key: string): Promise<StoredObject>;
  /** What lies below a prefix that ends with `/`, in the order of the keys' UTF-8 bytes, streamed. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Deleting what is not there is no error. */
  delete(keys: readonly string[]): Promise<void>;
  /** Deletes everything below a prefix that ends with `/`. */
  deletePrefix(prefix: string): Promise<void>;
  /** Begins an object that arrives in parts, and returns the id of its beginning. Nothing is visible until it is completed. */
  beginMultipart(key: string, options: { readonly contentType: string }): Promise<string>;
  /**
   * Streams one part in, like a `put` of a known length, and returns the tag by which `completeMultipart` knows it. All but the
   * last have at least 5 MiB (the bound of S3). Throws MultipartNotFoundError.
   */
  putPart(part: PartTarget, body: Readable, sizeBytes: number): Promise<string>;
  /** Makes an object of these parts, in the order of their numbers. Others are dropped. Throws MultipartNotFoundError. */
  completeMultipart(
    multipart: MultipartRef,
    parts: readonly { readonly number: number; readonly tag: string }[],
  ): Promise<void>;
  /** Drops all begun objects below a prefix that ends with `/`, with their parts. */
  abortMultiparts(prefix: string): Promise<void>;
  /** Resolves when the store can be reached, rejects with the reason otherwise. For readiness. */
  check(): Promise<void>;
}

interface PutOptions {
  readonly contentType: string;
  /** Exact length of the body, if it is known. A shorter body is no object, and nothing is left of it. */
  readonly sizeBytes?: number | undefined;
  readonly signal?: AbortSignal;
}

export interface MultipartRef {
  readonly key: string;
  readonly multipartId: string;
}

export interface PartTarget extends MultipartRef {
  /** From 1 to 10,000 (the bound of S3). A part of the same number is replaced. */
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
   * Of a whole object that lies on this machine: the file whose first `sizeBytes` are its bytes. It is never written
   * again, but may be replaced by another one, or removed.
   */
  readonly path?: string;
}

export class ObjectNotFoundError extends Error {
  override readonly name = 'ObjectNotFoundError';
  readonly key: string;
  constructor(key: string) {
    super(`no object under ${JSON.stringify(key)}`);
    this.key = key;
  }
}

/** The object was not begun, is complete or aborted, or lacks the part that was named. */
export class MultipartNotFoundError extends Error {
  override readonly name = 'MultipartNotFoundError';
  readonly key: string;
  constructor(key: string, cause?: unknown) {
    super(`no begun object or part under ${JSON.stringify(key)}`, { cause });
    this.key = key;
  }
}

/**
 * Thrown for keys that no adapter accepts: empty, with empty or dot segments, control characters, a backslash
 * or lone surrogates, over 1,024 bytes (the bound of S3), or with a segment of over 250 characters once
 * percent-encoded (file systems end names at 255 bytes).
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

/** A prefix is a key and a `/` after it: there is none that means the whole store. */
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

/** Of an object that was put with a length. */
export function requireSize(object: ListedObject, sizeBytes: number | undefined): void {
  if (sizeBytes === undefined || object.sizeBytes === sizeBytes) return;
  throw new RangeError(
    `${JSON.stringify(object.key)} has ${object.sizeBytes} bytes instead of the ${sizeBytes} that were announced`,
  );
}
