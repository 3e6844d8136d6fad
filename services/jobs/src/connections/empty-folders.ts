/**
 * Empties folders of failed jobs which a worker may have begun to fill. When a job is tried again, the new
 * attempt empties the folder itself.
 */
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import type { SplitterService } from '@audiosplit/proto/splitter/v1/splitter';
import type { Client } from '@connectrpc/connect';
import { ConnectionSecretLostError } from '../errors.ts';
import { findConnection } from '../store/connections.ts';
import {
  type EmptiedFolder,
  forgetFolder,
  putOffEmptying,
  recordEmptied,
  takeDueFolders,
} from '../store/emptied-folders.ts';
import type { ConnectionBox } from './connection-box.ts';
import { openConnection } from './open-connection.ts';

interface EmptyingDependencies {
  readonly pool: Pool;
  readonly log: Logger;
  readonly splitter: Pick<Client<typeof SplitterService>, 'emptyFolder'>;
  readonly connectionBox: ConnectionBox;
}

const BATCH = 20;
const TIMEOUT_MS = 50_000;

export async function emptyFolders(dependencies: EmptyingDependencies, stopping: AbortSignal): Promise<void> {
  let due: readonly EmptiedFolder[];
  do {
    due = await takeDueFolders(dependencies.pool, BATCH);
    await Promise.all(due.map((folder) => emptyFolder(dependencies, folder)));
  } while (due.length === BATCH && !stopping.aborted);
}

async function emptyFolder(
  { pool, log, splitter, connectionBox }: EmptyingDependencies,
  { jobId, accountId, connectionId, folder }: EmptiedFolder,
): Promise<void> {
  const connection = await findConnection(pool, accountId, connectionId);
  if (connection === undefined) return forgetFolder(pool, jobId);
  try {
    const bucket = openConnection(connectionBox, connection);
    await splitter.emptyFolder({ accountId, bucket, folder }, { timeoutMs: TIMEOUT_MS });
    await recordEmptied(pool, jobId);
  } catch (error) {
    if (error instanceof ConnectionSecretLostError) return forgetFolder(pool, jobId);
    log.warn(
      { err: error, jobId },
      "the folder of a failed job in its account's bucket could not be emptied",
    );
    await putOffEmptying(pool, jobId);
  }
}
