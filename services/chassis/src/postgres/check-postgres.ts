import pg from 'pg';
import type { Pool } from './pool.ts';

/** A health check waits no longer (rpc/health.ts). */
const TIMEOUT_MS = 2_000;

/**
 * Rejects when Postgres does not answer. A pool whose connections are all in use says nothing of that: the check would wait
 * behind the calls, and replicas that are merely busy would all be taken out of rotation. Postgres is then asked over a
 * connection of the check's own.
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
  // A connection that breaks fails the query as well.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
  } finally {
    await client.end();
  }
}
