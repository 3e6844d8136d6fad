/**
 * Has the server parse and plan a statement once per connection and not once per call. For the short statements on a
 * request's way that is more than half of what they cost the server.
 *
 * A statement is known by its text: texts are written in `store.ts` files, so that there are few. Where some are put
 * together at run time after all, those beyond MAX_STATEMENTS are sent as before, and no connection holds more.
 *
 * What is prepared must not end in `select *` or `returning *`: a column added by a migration would fail it on the
 * connections that are open meanwhile ("cached plan must not change result type").
 */
import type pg from 'pg';

const MAX_STATEMENTS = 500;

type Query = (...args: readonly unknown[]) => unknown;

/** Shared by all connections: the names mean the same on each. */
const names = new Map<string, string>();

/** From now on on this connection, for statements with parameters. */
export function prepareQueries(client: pg.PoolClient): void {
  const send = client.query.bind(client) as Query;
  client.query = ((config: unknown, ...rest: readonly unknown[]) => {
    if (typeof config !== 'string' || !Array.isArray(rest[0])) return send(config, ...rest);
    const name = nameOf(config);
    return name === undefined ? send(config, ...rest) : send({ text: config, name }, ...rest);
  }) as typeof client.query;
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined || names.size >= MAX_STATEMENTS) return known;
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}
