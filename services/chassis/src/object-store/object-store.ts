import type { Readable } from 'node:stream';

/**
 * The object store port: whole objects under `/`-separated keys.
 *
 * Adapters: `s3.ts` and `files.ts`; `object-store.contract.ts` holds both to the same promises. An object
 * is visible only whole: a failed or aborted `put` leaves nothing under its key.
 */
export interface ObjectStore extends AsyncDisposable {
  /** Streams `body` in; memory stays bounded whatever its length. Replaces an object of the same key. */
  put(key: string, body: Readable, options: PutOptions): Promise<StoredObject>;
  /** Throws ObjectNotFoundError. `range` is inclusive, in bytes, and must lie within the object. */
  get(key: string, range?: ByteRange): Promise<ObjectBody>;
  /** Throws ObjectNotFoundError. */
  head(key: string): Promise<StoredObject>;
  /** Keys below a prefix that ends with `/`, in lexical order, streamed. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Deleting what is not there is no error. */
  delete(keys: readonly string[]): Promise<void>;
  /** Deletes everything below a prefix that ends with `/`. */
  deletePrefix(prefix: string): Promise<void>;
  /** Resolves when the store can be reached, rejects with the reason otherwise. For readiness. */
  check(): Promise<void>;
}

export interface PutOptions {
  readonly contentType: string;
  readonly signal?: AbortSignal;
}

export interface ByteRange {
  readonly firstByte: number;
  readonly lastByte: number;
}

export interface StoredObject {
  readonly key: string;
  readonly sizeBytes: number;
  readonly contentType: string;
  readonly modifiedAt: Date;
}

export interface ObjectBody extends StoredObject {
  /** The bytes of the range, or of the whole object. */
  readonly body: Readable;
}

export class ObjectNotFoundError extends Error {
  override readonly name = 'ObjectNotFoundError';
  readonly key: string;
  constructor(key: string) {
    super(`no object under ${JSON.stringify(key)}`);
    this.key = key;
  }
}

/** Thrown for keys that no adapter accepts: empty, with empty or dot segments, control characters, a backslash, or over 1,024 bytes. */
export class InvalidObjectKeyError extends Error {
  override readonly name = 'InvalidObjectKeyError';
  readonly key: string;
  constructor(key: string) {
    super(`not a valid object key: ${JSON.stringify(key)}`);
    this.key = key;
  }
}

export function assertObjectKey(key: string): void {
  const segments = key.split('/');
  const hasBadSegment = segments.some((segment) => segment === '' || segment === '.' || segment === '..');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (hasBadSegment || /[\u0000-\u001f\u007f\\]/.test(key) || Buffer.byteLength(key) > 1024) {
    throw new InvalidObjectKeyError(key);
  }
}
