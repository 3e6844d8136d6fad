import type { Pool } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { findSealedUnderOthers, replaceSecret } from '../store/connections.ts';
import type { ConnectionBox } from './connection-box.ts';

const BATCH = 100;

/**
 * Encrypts secrets that are under a former key, which is accepted for a day, under the present one. Secrets
 * that no accepted key decrypts stay as they are: using their connection gives an error.
 */
export async function resealConnections(
  {
    pool,
    log,
    connectionBox,
  }: { readonly pool: Pool; readonly log: Logger; readonly connectionBox: ConnectionBox },
  stopping: AbortSignal,
): Promise<void> {
  let [after, resealed, lost] = ['', 0, 0];
  while (!stopping.aborted) {
    const batch = await findSealedUnderOthers(pool, connectionBox.keyName, after, BATCH);
    for (const connection of batch) {
      const secret = connectionBox.open(connection.id, connection.sealed);
      if (secret === undefined) lost += 1;
      else if (await replaceSecret(pool, connection, connectionBox.seal(connection.id, secret)))
        resealed += 1;
    }
    after = batch.at(-1)?.id ?? '';
    if (batch.length < BATCH) break;
  }
  if (resealed > 0) log.info({ resealed }, 'secrets of connections were encrypted under the present key');
  if (lost > 0)
    log.warn({ lost }, 'secrets of connections cannot be decrypted: the key of the jobs service has changed');
}
