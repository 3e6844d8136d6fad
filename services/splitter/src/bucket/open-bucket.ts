import type { EnterHost, GuardedEgress } from '@audiosplit/chassis/egress/egress';
import type { Bucket, BucketAddress } from './bucket.ts';
import { openS3Bucket } from './s3-bucket.ts';

/** Opens a bucket whose requests end with the signal. */
export type OpenBucket = (address: BucketAddress, accountId: string, signal: AbortSignal) => Bucket;

/** `enterHost` bounds an account's connections to a host. */
export function createBuckets(
  egress: GuardedEgress,
  enterHost: (accountId: string) => EnterHost,
): OpenBucket {
  return (address, accountId, signal) =>
    openS3Bucket(address, { egress, accountId, enterHost: enterHost(accountId), signal });
}
