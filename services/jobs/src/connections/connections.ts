/** Creates, lists, deletes and checks the connections of accounts. */
import type { Clock } from '@audiosplit/chassis/clock';
import { InvalidParamsError, NotFoundError } from '@audiosplit/chassis/errors';
import { newId } from '@audiosplit/chassis/ids';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { Bucket, BucketCheck } from '@audiosplit/proto/jobs/v1/bucket';
import type { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import type { Client } from '@connectrpc/connect';
import {
  AccountPendingDeletionError,
  ConnectionInUseError,
  ConnectionLimitReachedError,
  ConnectionNameTakenError,
} from '../errors.ts';
import {
  deleteConnection,
  findConnection,
  findJobUsing,
  insertConnection,
  listConnections,
} from '../store/connections.ts';
import { lockAccountQueue } from '../store/queue/account-queue.ts';
import { faultOfFolder, toFolder } from './bucket-keys.ts';
import type { Connection, SealedConnection } from './connection.ts';
import type { ConnectionBox } from './connection-box.ts';
import { openConnection } from './open-connection.ts';

export interface ConnectionDependencies {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly log: Logger;
  readonly splitter: Pick<Client<typeof SplitterService>, 'checkEndpoint' | 'testBucket'>;
  readonly connectionBox: ConnectionBox;
  readonly maxConnections: number;
}

/** Longer than the splitter's own timeout. */
const CHECK_TIMEOUT_MS = 4_000;
const TEST_TIMEOUT_MS = 15_000;

/** Throws InvalidParamsError, ConnectionLimitReachedError, ConnectionNameTakenError, AccountPendingDeletionError. */
export async function createConnection(
  dependencies: ConnectionDependencies,
  accountId: string,
  name: string,
  bucket: Bucket,
): Promise<Connection> {
  const { pool, clock, connectionBox, maxConnections } = dependencies;
  const prefix = toFolder(bucket.prefix);
  const fault = faultOfFolder(prefix);
  if (fault !== undefined) throw new InvalidParamsError('prefix', fault);
  if (bucket.endpoint !== undefined) await checkEndpoint(dependencies, accountId, bucket.endpoint);
  const now = clock();
  const id = newId('con', now);
  const connection: SealedConnection = {
    id,
    accountId,
    name,
    endpoint: bucket.endpoint,
    region: bucket.region,
    bucket: bucket.bucket,
    prefix,
    accessKeyId: bucket.accessKeyId,
    createdAt: now,
    ...connectionBox.seal(id, bucket.secretAccessKey),
  };
  await withTransaction(pool, async (client) => {
    // With the lock, two concurrent calls cannot both take the last place.
    const { closed } = await lockAccountQueue(client, accountId);
    if (closed) throw new AccountPendingDeletionError();
    const others = await listConnections(client, accountId);
    if (others.some((other) => other.name === name)) throw new ConnectionNameTakenError(name);
    if (others.length >= maxConnections) throw new ConnectionLimitReachedError(maxConnections);
    await insertConnection(client, connection);
  });
  return connection;
}

/** An unavailable splitter does not refuse the connection: its address is checked at each use. */
async function checkEndpoint(
  { splitter, log }: ConnectionDependencies,
  accountId: string,
  endpoint: string,
): Promise<void> {
  const url = URL.parse(endpoint);
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    throw new InvalidParamsError('endpoint', 'must be an http or https URL without query and fragment');
  try {
    await splitter.checkEndpoint({ accountId, endpoint }, { timeoutMs: CHECK_TIMEOUT_MS });
  } catch (error) {
    if (hasReason(error, Reason.INVALID_PARAMS)) throw error;
    log.warn(
      { err: error },
      'the address of a connection could not be checked; it is checked when the connection is used',
    );
  }
}

/** A job created at the same time fails when it is claimed. Throws NotFoundError, ConnectionInUseError. */
export async function removeConnection(
  { pool }: Pick<ConnectionDependencies, 'pool'>,
  accountId: string,
  id: string,
): Promise<void> {
  const connection = await findConnection(pool, accountId, id);
  if (connection?.id !== id) throw new NotFoundError(`Connection ${id}`);
  const jobId = await findJobUsing(pool, accountId, id);
  if (jobId !== undefined) throw new ConnectionInUseError(connection.name, jobId);
  await deleteConnection(pool, accountId, id);
}

/** Throws NotFoundError. */
export async function testConnection(
  { pool, splitter, connectionBox }: ConnectionDependencies,
  accountId: string,
  id: string,
): Promise<readonly BucketCheck[]> {
  const connection = await findConnection(pool, accountId, id);
  if (connection?.id !== id) throw new NotFoundError(`Connection ${id}`);
  const bucket = openConnection(connectionBox, connection);
  const { checks } = await splitter.testBucket({ accountId, bucket }, { timeoutMs: TEST_TIMEOUT_MS });
  return checks;
}
