/**
 * The port to a bucket of an account: keys are below the prefix of its connection. Every method throws
 * StoreError, or the signal's reason.
 */
import type { Bucket as BucketAddress } from '@audiosplit/proto/jobs/v1/bucket';

export interface Bucket extends Disposable {
  /** Lists at most `limit` keys below a folder, which is empty or ends with a slash. */
  list(folder: string, limit: number): Promise<readonly string[]>;
  /** Undefined if the store does not report it. */
  sizeOf(key: string): Promise<number | undefined>;
  /** Its first bytes. */
  readStart(key: string, maxBytes: number): Promise<Uint8Array>;
  /** Replaces an object of the same key, completely or not at all; a large one is sent in parts. */
  put(key: string, body: AsyncIterable<Uint8Array>, contentType: string): Promise<void>;
  /** Deleting a missing object is no error. */
  delete(key: string): Promise<void>;
  /** Deletes all objects below a folder, and aborts its unfinished multipart uploads. */
  deleteFolder(folder: string): Promise<void>;
  /** A link that allows GET requests for some hours. */
  linkTo(key: string): Promise<string>;
  /** As `s3://bucket/key`. */
  locationOf(key: string): string;
}

export type { BucketAddress };
