/** Sources in buckets of their accounts. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { isBucketAddress, parseBucketAddress } from '@audiosplit/proto/bucket-address';
import { type BucketObject, BucketObjectSchema } from '@audiosplit/proto/jobs/v1/bucket';
import { create } from '@bufbuild/protobuf';
import { findConnection } from '../store/connections.ts';
import type { SealedConnection } from './connection.ts';
import type { ConnectionBox } from './connection-box.ts';
import { openConnection } from './open-connection.ts';

/** Undefined for a source outside of buckets. Throws InvalidParamsError, naming `field`. */
export async function findSourceConnection(
  db: Queryable,
  accountId: string,
  sourceUrl: string,
  field: string,
): Promise<SealedConnection | undefined> {
  const address = isBucketAddress(sourceUrl) ? parseBucketAddress(sourceUrl) : undefined;
  return address && requireConnection(db, accountId, address.connection, field);
}

/** By id or name. Throws InvalidParamsError, naming `field`. */
export async function requireConnection(
  db: Queryable,
  accountId: string,
  idOrName: string,
  field: string,
): Promise<SealedConnection> {
  const connection = await findConnection(db, accountId, idOrName);
  if (connection !== undefined) return connection;
  throw new InvalidParamsError(field, `this account has no connection ${JSON.stringify(idOrName)}`);
}

/** The access data of the source, for a splitter. Throws ConnectionSecretLostError. */
export function toSourceObject(
  box: ConnectionBox,
  connection: SealedConnection,
  sourceUrl: string,
): BucketObject {
  const key = parseBucketAddress(sourceUrl)?.key ?? '';
  return create(BucketObjectSchema, { bucket: openConnection(box, connection), key });
}
