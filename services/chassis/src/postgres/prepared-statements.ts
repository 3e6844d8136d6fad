/**
 * Makes the server parse and plan a statement once per connection instead of once per call. For the short
 * statements of a request, that is more than half of their cost on the server.
 *
 * A statement is identified by its text. Texts are written in `store/` and values are parameters, so there
 * are few texts. A connection holds at most MAX_STATEMENTS; the least recently used is replaced. Texts
 * that differ only in literals share MAX_OF_ONE_SHAPE slots, and further ones are sent without a name;
 * otherwise a statement with a value in its text would evict all others.
 *
 * A prepared statement must not end in `select *` or `returning *`: a column added by a migration would make
 * it fail on connections open at that time ("cached plan must not change result type").
 */
import type pg from 'pg';

const MAX_STATEMENTS = 500;
const MAX_OF_ONE_SHAPE = 10;
/** Strings, and numbers that are not part of a parameter or a name. */
const LITERALS = /'(?:[^']|'')*'|(?<![\w$])\d+(?:\.\d+)?\b/g;

type Query = (...args: readonly unknown[]) => unknown;

/**
 * Texts, the most recently used at the end. Shared by all connections: a name means the same on each and is
 * assigned once.
 */
const names = new Map<string, string>();
/** The names in use. */
const current = new Set<string>();
let given = 0;
/** The number of texts per shape; a shape is a text without its literals. */
const ofShape = new Map<string, number>();

/** Applies to statements with parameters on this connection from now on. */
export function prepareQueries(client: pg.PoolClient): void {
  const send = client.query.bind(client) as Query;
  const held = new Set<string>();

  /** Only if the server has prepared it: a failing statement would abort a transaction that may be open. */
  const release = async (name: string) => {
    held.delete(name);
    const parsed = parsedBy(client);
    if (parsed[name] === undefined) return;
    try {
      await send(`deallocate ${name}`);
      delete parsed[name];
    } catch {
      // The transaction had failed already, or the connection is lost: it is tried again.
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

/** The library keeps the text of each statement that the server has prepared for a connection. */
function parsedBy(client: pg.PoolClient): Record<string, string | undefined> {
  const { connection } = client as unknown as {
    readonly connection: { readonly parsedStatements: Record<string, string | undefined> };
  };
  return connection.parsedStatements;
}
