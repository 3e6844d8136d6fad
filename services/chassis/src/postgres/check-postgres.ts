import pg from 'pg';
import type { Pool } from './pool.ts';

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
  const client = new pg.Client({
    connectionString: pool.options.connectionString,
    connectionTimeoutMillis: TIMEOUT_MS,
    query_timeout: TIMEOUT_MS,
  });
  // A broken connection makes the query fail as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await client.end();
  }
}
