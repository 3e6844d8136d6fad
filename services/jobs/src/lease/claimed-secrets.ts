/** Secrets of a job that are given only to the splitter that has claimed it. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Bucket, BucketObject } from '@audiosplit/proto/jobs/v1/bucket';
import type { SourceHeaders } from '@audiosplit/proto/source-headers';
import type { SealedConnection } from '../connections/connection.ts';
import type { ConnectionBox } from '../connections/connection-box.ts';
import { openConnection } from '../connections/open-connection.ts';
import { toSourceObject } from '../connections/source-object.ts';
import { ConnectionSecretLostError } from '../errors.ts';
import type { Job, JobError } from '../job.ts';
import { HEADERS_LOST, type SourceHeaderBox } from '../source-headers.ts';
import { findConnection } from '../store/connections.ts';
import { readSealedHeaders } from '../store/job/jobs.ts';

export interface ClaimedSecrets {
  readonly sourceHeaders: SourceHeaders;
  /** Set if the source lies in a bucket of the account. */
  readonly sourceObject: BucketObject | undefined;
  /** Set if the job has a destination. */
  readonly destinationBucket: Bucket | undefined;
}

export interface SecretBoxes {
  readonly sourceHeaderBox: SourceHeaderBox;
  readonly connectionBox: ConnectionBox;
}

/** Returns the error with which the job fails if the secrets are not available. */
export async function openSecrets(
  boxes: SecretBoxes,
  db: Queryable,
  job: Job,
): Promise<ClaimedSecrets | JobError> {
  const sourceHeaders = await openHeaders(boxes, db, job);
  if (sourceHeaders === undefined) return HEADERS_LOST;
  const { sourceUrl, sourceConnectionId, destination } = job.request;
  const openBucket = async <T extends object>(
    connectionId: string | undefined,
    open: (connection: SealedConnection) => T,
  ) => {
    if (connectionId === undefined) return undefined;
    return openWith(await findConnection(db, job.accountId, connectionId), open);
  };
  const sourceObject = await openBucket(sourceConnectionId, (connection) =>
    toSourceObject(boxes.connectionBox, connection, sourceUrl),
  );
  if (isError(sourceObject)) return { ...sourceObject, code: 'SOURCE_UNREACHABLE' };
  const destinationBucket = await openBucket(destination?.connectionId, (connection) =>
    openConnection(boxes.connectionBox, connection),
  );
  if (isError(destinationBucket)) return { ...destinationBucket, code: 'DESTINATION_UNREACHABLE' };
  return { sourceHeaders, sourceObject, destinationBucket };
}

function isError(opened: object | undefined): opened is JobError {
  return opened !== undefined && 'code' in opened;
}

/** Undefined if they cannot be decrypted. */
async function openHeaders(
  { sourceHeaderBox }: SecretBoxes,
  db: Queryable,
  { id, request }: Job,
): Promise<SourceHeaders | undefined> {
  if (request.sourceHeaderNames.length === 0) return {};
  const sealed = await readSealedHeaders(db, id);
  return sealed === null ? undefined : sourceHeaderBox.open(id, sealed);
}

const DELETED: JobError = {
  code: 'INTERNAL_ERROR',
  message: 'The connection to the bucket was deleted while the job was created. Create both again.',
};

function openWith<T extends object>(
  connection: SealedConnection | undefined,
  open: (connection: SealedConnection) => T,
): T | JobError {
  if (connection === undefined) return DELETED;
  try {
    return open(connection);
  } catch (error) {
    if (!(error instanceof ConnectionSecretLostError)) throw error;
    return { code: 'INTERNAL_ERROR', message: error.message };
  }
}
