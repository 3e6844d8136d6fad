import type { Pool } from '../postgres/pool.ts';
import { expose } from './shared-metrics.ts';

/** The pool of a service on its schema, until it is disposed of. */
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

/** The outbox in the schema that the pool is on, until it is disposed of. */
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
      // The oldest by the key on which they go out, which has an index.
      const { rows } = await pool.query<{ value: number }>(
        `select coalesce((select greatest(0, extract(epoch from now() - created_at))::float8
                          from outbox order by id limit 1), 0) as value`,
      );
      return rows.map(({ value }) => ({ labels: { schema }, value }));
    }),
  );
  return exposed.move();
}
