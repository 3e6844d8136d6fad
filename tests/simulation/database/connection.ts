/**
 * A connection to the real database that saves round trips: the clock and the start of a transaction are sent
 * together with the next statement.
 */
import pg from 'pg';
import { type RowChange, readNotice } from './watched-tables.ts';

export type SimulatedConnection = Awaited<ReturnType<typeof openConnection>>;

const CLOCK = 'clock';
const BEGIN = 'begin';

interface Leading {
  readonly statement: string;
  readonly values: readonly string[];
}

/** The parts of pg's own query that this module uses in addition to its public methods. */
interface PreparedQuery extends pg.Submittable {
  prepare(connection: pg.Connection): void;
  handleDataRow(row: unknown): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
}
const PreparedQuery = pg.Query as unknown as new (
  config: pg.QueryConfig,
  callback: (error: Error | null, result: pg.QueryResult) => void,
) => PreparedQuery;

/** A statement preceded by others, whose results are dropped. */
class LedQuery extends PreparedQuery {
  readonly #leading: readonly Leading[];
  #toSkip: number;

  constructor(
    leading: readonly Leading[],
    config: pg.QueryConfig,
    callback: (error: Error | null, result: pg.QueryResult) => void,
  ) {
    super(config, callback);
    this.#leading = leading;
    this.#toSkip = leading.length;
  }

  override prepare(connection: pg.Connection): void {
    for (const { statement, values } of this.#leading) {
      connection.bind({ statement, values: [...values] }, true);
      connection.execute({}, true);
    }
    super.prepare(connection);
  }

  override handleDataRow(row: unknown): void {
    if (this.#toSkip === 0) super.handleDataRow(row);
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.#toSkip === 0) super.handleCommandComplete(message, connection);
    else this.#toSkip -= 1;
  }
}

export async function openConnection(schema: string, config: pg.ClientConfig) {
  const client = new pg.Client(config);
  await client.connect();
  await client.query({ name: CLOCK, text: "select set_config('simulation.now', $1, false)", values: [''] });
  await client.query({ name: BEGIN, text: 'begin' });
  await client.query('rollback');
  let leading: Leading[] = [];
  let changes: RowChange[] = [];
  client.on('notice', ({ message }) => {
    const change = readNotice(message);
    if (change !== undefined) changes.push(change);
  });
  return {
    schema,
    /** Sets `now()` with the next statement. */
    setClock(nowMs: number) {
      leading.push({ statement: CLOCK, values: [new Date(nowMs).toISOString()] });
    },
    /** Begins a transaction with the next statement. */
    begin() {
      leading.push({ statement: BEGIN, values: [] });
    },
    /** Drops the commands that were waiting for the next statement. */
    forgetLeading() {
      leading = [];
    },
    run(text: string, values: readonly unknown[] = []) {
      const before = leading;
      leading = [];
      const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>();
      // A named statement is parsed and planned once for all runs.
      const config = { name: nameOf(text), text, values: [...values] };
      client.query(
        new LedQuery(before, config, (error, result) => (error ? reject(error) : resolve(result))),
      );
      return promise;
    },
    /** Returns the row changes reported since the last call. */
    takeChanges(): readonly RowChange[] {
      const taken = changes;
      changes = [];
      return taken;
    },
    end: () => client.end(),
  };
}

const names = new Map<string, string>();

function nameOf(text: string): string {
  return names.getOrInsertComputed(text, () => `s${names.size}`);
}
