/** Sources in buckets, as `s3://<connection>/<key>`: the key is what stands there, without escapes. */

export interface BucketAddress {
  /** Name or id of a connection. */
  readonly connection: string;
  readonly key: string;
}

const FORM = /^s3:\/\/([0-9A-Za-z_-]{1,64})\/(.+)$/s;

export function isBucketAddress(address: string): boolean {
  return address.startsWith('s3:');
}

/** Undefined where it is none. */
export function parseBucketAddress(address: string): BucketAddress | undefined {
  const [, connection, key] = FORM.exec(address) ?? [];
  return connection === undefined || key === undefined ? undefined : { connection, key };
}

export const BUCKET_ADDRESS_FAULT =
  'must be s3://, the name or the id of a connection, a slash and the key of an object';
