import type { Pool } from './pool.ts';
import { openConnection } from './single-connection.ts';

/** The timeout of a health check (rpc/health.ts). */
const TIMEOUT_MS = 2_000;

/**
 * Rejects if Postgres does not answer. If all connections of the pool are in use, the check would wait behind
 * the calls, and busy replicas would all be taken out of rotation. In that case it uses a connection of its
 * own.
 */
export async function checkPostgres(pool: Pool): Promise<void> {
  const hasRoom = pool.idleCount > 0 || pool.totalCount < pool.options.max;
  if (hasRoom) {
    await pool.query('select 1');
    return;
  }
  await using client = await openConnection({
    connectionString: pool.options.connectionString,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  await client.query('select 1');
}
