import type { Pool } from '../postgres/pool.ts';
import { expose } from './shared-metrics.ts';

/** Exposes the pool of a service's schema, until disposed of. */
export function exposePool(pool: Pool, schema: string): Disposable {
  using exposed = new DisposableStack();
  exposed.use(
    expose('audiosplit_postgres_pool_connections', () => [
      { labels: { schema, state: 'busy' } as const, value: pool.totalCount - pool.idleCount },
      { labels: { schema, state: 'idle' } as const, value: pool.idleCount },
    ]),
  );
  exposed.use(
    expose('audiosplit_postgres_pool_max_connections', () => [
      { labels: { schema }, value: pool.options.max },
    ]),
  );
  exposed.use(
    expose('audiosplit_postgres_pool_waiting', () => [{ labels: { schema }, value: pool.waitingCount }]),
  );
  return exposed.move();
}

/** Exposes the outbox of the pool's schema, until disposed of. */
export function exposeOutbox(pool: Pool, schema: string): Disposable {
  using exposed = new DisposableStack();
  exposed.use(
    expose('audiosplit_outbox_backlog_messages', async () => {
      const { rows } = await pool.query<{ value: number }>('select count(*)::int as value from outbox');
      return rows.map(({ value }) => ({ labels: { schema }, value }));
    }),
  );
  exposed.use(
    expose('audiosplit_outbox_oldest_age_seconds', async () => {
      // Searches the oldest row by the key that orders publishing, because it has an index.
      const { rows } = await pool.query<{ value: number }>(
        `select coalesce((select greatest(0, extract(epoch from now() - created_at))::float8
                          from outbox order by id limit 1), 0) as value`,
      );
      return rows.map(({ value }) => ({ labels: { schema }, value }));
    }),
  );
  return exposed.move();
}
