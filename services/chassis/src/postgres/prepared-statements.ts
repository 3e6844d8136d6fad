/**
 * Has the server parse and plan a statement once per connection and not once per call. For the short statements on a
 * request's way that is more than half of what they cost the server.
 *
 * A statement is known by its text: texts are written in `store.ts` files, and values are parameters, so that there are few.
 * No connection holds more than MAX_STATEMENTS: the one that was not used for longest makes room for the next. Texts that
 * differ only in literals share MAX_OF_ONE_SHAPE places, and others of them are sent without a name. Otherwise a statement
 * with a value in its text would drive all others out.
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

/** Of texts, the last used at the end. Shared by all connections: a name means the same on each, and is given once. */
const names = new Map<string, string>();
/** The names that are in use. */
const current = new Set<string>();
let given = 0;
/** How many of them are of a shape: a text without its literals. */
const ofShape = new Map<string, number>();

/** From now on on this connection, for statements with parameters. */
export function prepareQueries(client: pg.PoolClient): void {
  const send = client.query.bind(client) as Query;
  const held = new Set<string>();

  /** Where the server has prepared it: a failure would end the transaction that may be open. */
  const release = async (name: string) => {
    held.delete(name);
    const parsed = parsedBy(client);
    if (parsed[name] === undefined) return;
    try {
      await send(`deallocate ${name}`);
      delete parsed[name];
    } catch {
      // The transaction had failed already, or the connection is gone: it is tried again.
      held.add(name);
    }
  };

  client.query = ((config: unknown, ...rest: readonly unknown[]) => {
    if (typeof config !== 'string' || !Array.isArray(rest[0])) return send(config, ...rest);
    const name = nameOf(config);
    if (name === undefined) return send(config, ...rest);
    if (!held.has(name) && held.size >= MAX_STATEMENTS)
      for (const each of held) if (!current.has(each)) void release(each);
    held.add(name);
    return send({ text: config, name }, ...rest);
  }) as typeof client.query;
}

function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) {
    names.delete(text);
    names.set(text, known);
    return known;
  }
  const shape = shapeOf(text);
  const places = ofShape.get(shape) ?? 0;
  if (places === MAX_OF_ONE_SHAPE) return undefined;
  ofShape.set(shape, places + 1);
  if (names.size === MAX_STATEMENTS) dropOldest();
  const name = `s${given++}`;
  names.set(text, name);
  current.add(name);
  return name;
}

function dropOldest(): void {
  for (const [text, name] of names) {
    names.delete(text);
    current.delete(name);
    const shape = shapeOf(text);
    const places = ofShape.get(shape) ?? 0;
    if (places > 1) ofShape.set(shape, places - 1);
    else ofShape.delete(shape);
    return;
  }
}

function shapeOf(text: string): string {
  return text.replace(LITERALS, '?');
}

/** The library keeps the text of each name that the server has prepared for a connection. */
function parsedBy(client: pg.PoolClient): Record<string, string | undefined> {
  const { connection } = client as unknown as {
    readonly connection: { readonly parsedStatements: Record<string, string | undefined> };
  };
  return connection.parsedStatements;
}
