/**
 * Sources in buckets of accounts: fetched by a signed link like any other source, with the same limits and
 * resumes, but without redirects. If the store refuses, a second request through its API gets its error
 * message, which a response to a link does not show.
 */
import type { GuardedEgress } from '@audiosplit/chassis/egress/egress';
import type { Bucket } from '../bucket/bucket.ts';
import { StoreError } from '../bucket/store-error.ts';
import { type FetchOptions, type OpenSource, openSource } from './fetch-source.ts';
import { SourceError } from './source-error.ts';

/** Throws SourceError, or the signal's reason. */
export async function openBucketSource(
  egress: GuardedEgress,
  bucket: Bucket,
  key: string,
  options: FetchOptions,
): Promise<OpenSource> {
  const link = await bucket.linkTo(key);
  try {
    return await openSource(egress, link, { ...options, limits: { ...options.limits, maxRedirects: 0 } });
  } catch (error) {
    if (!(error instanceof SourceError) || error.failure !== 'SOURCE_UNREACHABLE') throw error;
    throw (await refusalOf(bucket, key, error)) ?? error;
  }
}

/** Throws SourceError if the address is forbidden. Undefined if the store does not report it. */
export async function sizeInBucket(bucket: Bucket, key: string): Promise<number | undefined> {
  try {
    return await bucket.sizeOf(key);
  } catch (error) {
    if (error instanceof StoreError && error.fault === 'forbidden-address') throw toSourceError(error, error);
    return undefined;
  }
}

/** Undefined if the store would return the object now. */
async function refusalOf(bucket: Bucket, key: string, cause: unknown): Promise<SourceError | undefined> {
  try {
    await bucket.readStart(key, 1);
    return undefined;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return toSourceError(error, cause);
  }
}

function toSourceError({ fault, message, retryable }: StoreError, cause: unknown): SourceError {
  const said = `The source cannot be fetched from its bucket. ${message}`;
  if (fault === 'forbidden') return new SourceError('FORBIDDEN_BY_STORE', said, retryable, { cause });
  if (fault === 'forbidden-address') return new SourceError('SOURCE_FORBIDDEN', said, retryable, { cause });
  return new SourceError('SOURCE_UNREACHABLE', said, retryable, { cause });
}
