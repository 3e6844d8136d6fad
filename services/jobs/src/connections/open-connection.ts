import { type Bucket, BucketSchema } from '@audiosplit/proto/jobs/v1/bucket';
import { create } from '@bufbuild/protobuf';
import { ConnectionSecretLostError } from '../errors.ts';
import type { SealedConnection } from './connection.ts';
import type { ConnectionBox } from './connection-box.ts';

/** The access data of the bucket, for a splitter. Throws ConnectionSecretLostError. */
export function openConnection(box: ConnectionBox, connection: SealedConnection): Bucket {
  const { id, name, sealed, endpoint, region, bucket, prefix, accessKeyId } = connection;
  const secretAccessKey = box.open(id, sealed);
  if (secretAccessKey === undefined) throw new ConnectionSecretLostError(name);
  return create(BucketSchema, {
    ...(endpoint === undefined ? {} : { endpoint }),
    region,
    bucket,
    prefix,
    accessKeyId,
    secretAccessKey,
  });
}
