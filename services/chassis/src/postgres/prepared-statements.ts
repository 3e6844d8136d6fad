/**
 * Has the server parse and plan a statement once per connection and not once per call. For the short statements on a
 * request's way that is more than half of what they cost the server.
 *
 * A statement is known by its text: texts are written in `store.ts` files, and values are parameters, so that there are few.
 * No connection holds more than MAX_STATEMENTS; those beyond are sent without a name. Texts that differ only in literals
 * share MAX_OF_ONE_SHAPE places. Otherwise a statement with a value in its text would fill every place with its variants,
 * and no other statement would be prepared.
 *
 * What is prepared must not end in `select *` or `returning *`: a column added by a migration would fail it on the
 * connections that are open meanwhile ("cached plan must not change result type").
 */
import type pg from 'pg';

const MAX_STATEMENTS = 500;
const MAX_OF_ONE_SHAPE = 10;
/** Strings, and numbers that are no part of a parameter or a name. */
const LITERALS = /'(?:[^']|'')*'|(?<![\w$])\d+(?:\.\d+)?\b/g;

type Query = (...args: readonly unknown[]) => unknown;

/** Shared by all connections: the names mean the same on each. */
const names = new Map<string, string>();
/** How many of them are of a shape: a text without its literals. */
const ofShape = new Map<string, number>();

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
  const shape = text.replace(LITERALS, '?');
  const places = ofShape.get(shape) ?? 0;
  if (places === MAX_OF_ONE_SHAPE) return undefined;
  ofShape.set(shape, places + 1);
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}
