import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import type { Logger } from '../process/log.ts';
import { timeLeftMs } from '../rpc/deadline.ts';
import { DeadlinePassedError, isConnectionLost, PoolExhaustedError } from './availability.ts';
import { boundQueries, STATEMENT_TIMEOUT_MS, watchClient } from './bounded-queries.ts';
import { transactionToJoin } from './joined-transaction.ts';
import { prepareQueries } from './prepared-statements.ts';
import { PUBLISHING_SETTINGS, type PublishAtCommit, watchPublished } from './publishing-pools.ts';

export type Pool = pg.Pool;
/** Anything that runs a query: the pool, or the client of a running transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>;

interface PoolOptions {
  readonly url: string;
  /** The service's own schema, role `audiosplit_<schema>`: the pool has no access to anything else. */
  readonly schema: string;
  readonly maxConnections: number;
  readonly onError: (error: Error) => void;
  /** Server settings for all connections of the pool. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Where the bus lies in the same database. */
  readonly publishAtCommit?: PublishAtCommit | undefined;
}

/** Also the longest wait in the pool's queue. */
const CONNECT_TIMEOUT_MS = 5_000;
/**
 * As many calls as one caller may have in flight at a service (rpc/call-bounds.ts): a burst fits, and calls
 * cannot pile up during an outage.
 */
const MAX_WAITING = 500;
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_AFTER_MS = 10_000;

export function openPool(options: PoolOptions): Pool {
  const pool = new BoundedPool({
    connectionString: options.url,
    max: options.maxConnections,
    application_name: `audiosplit-${options.schema}`,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 60_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    pipeline: true,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    options: toServerOptions({
      role: roleOf(options.schema),
      search_path: options.schema,
      timezone: 'UTC',
      ...options.settings,
      ...(options.publishAtCommit && PUBLISHING_SETTINGS),
    }),
    types: { getTypeParser },
    // Detects that the other end of an idle connection has gone without closing it.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    onConnect: watchClient,
  });
  pool.on('connect', boundQueries);
  pool.on('connect', prepareQueries);
  if (options.publishAtCommit) watchPublished(pool, options.publishAtCommit);
  onBrokenConnections(pool, options.onError);
  return pool;
}

function toServerOptions(settings: Readonly<Record<string, string>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

/**
 * The library's queue is unbounded and does not know which callers still wait. This one rejects with
 * PoolExhaustedError when it is full, and skips callers whose deadline has passed. Callbacks run in the
 * context of their own call.
 */
class BoundedPool extends pg.Pool {
  override connect(): Promise<pg.PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    if (callback === undefined) {
      return new Promise((resolve, reject) => {
        this.connect((error, client) => (client === undefined ? reject(error) : resolve(client)));
      });
    }
    const waiting = this.waitingCount;
    if (waiting >= MAX_WAITING) {
      process.nextTick(callback, new PoolExhaustedError(waiting), undefined, () => undefined);
      return undefined;
    }
    const connected: ConnectCallback = (error, client, done) => {
      const leftMs = timeLeftMs();
      if (client === undefined || leftMs === undefined || leftMs > 0) return callback(error, client, done);
      client.release();
      callback(new DeadlinePassedError(), undefined, () => undefined);
    };
    super.connect(AsyncLocalStorage.bind(connected));
    return undefined;
  }
}

type ConnectCallback = Parameters<pg.Pool['connect']>[0];

/** A service's pool on its own schema; connections that break are logged. */
export function openServicePool(
  {
    databaseUrl,
    log,
    publishAtCommit,
  }: {
    readonly databaseUrl: string;
    readonly log: Logger;
    readonly publishAtCommit?: PublishAtCommit | undefined;
  },
  schema: string,
  maxConnections: number,
): Pool {
  return openPool({
    url: databaseUrl,
    schema,
    maxConnections,
    onError: (error) => log.warn({ err: error }, 'an idle database connection broke'),
    publishAtCommit,
  });
}

/**
 * The pool replaces a broken connection. If it was in use its query fails; without listeners either case
 * would end the process.
 */
export function onBrokenConnections(pool: Pool, listener: (error: Error) => void): void {
  // The pool may report its end before the server has closed its last connections.
  const report = (error: Error) => {
    if (!pool.ending) listener(error);
  };
  pool.on('error', report);
  pool.on('connect', (client) => client.on('error', report));
}

/** The database role that owns a schema. */
export function roleOf(schema: string): string {
  return `audiosplit_${schema}`;
}

const INT8_OID = 20;

function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === INT8_OID) return parseInt8;
  return pg.types.getTypeParser(oid, format);
}

function parseInt8(value: string): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`bigint ${value} does not fit a number`);
  return number;
}

/** Commits the running transaction. Sent together with the last statement it takes no round trip of its own. */
export type Commit = () => Promise<void>;

/**
 * Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. Within a call that keeps its
 * answer (`idempotency/with-idempotency.ts`) it is committed together with that.
 *
 * `begin` is sent together with the first statement, in one round trip. It cannot fail unless the connection does, and
 * then the statement behind it is not run. `work` may send the commit itself, behind a last statement whose result it
 * awaits at the same time: where that fails, the commit rolls back.
 */
export async function withTransaction<T>(
  pool: Pool,
  work: (client: pg.PoolClient, commit: Commit) => Promise<T>,
  begin = 'begin',
): Promise<T> {
  const joined = transactionToJoin(pool);
  // The call's transaction is committed with its answer.
  if (joined !== undefined) return joined.join((client) => work(client, async () => undefined));
  const client = await pool.connect();
  let broken = false;
  let isOver = false;
  try {
    const begun = sendAhead(client, begin);
    let committed: Promise<void> | undefined;
    const commit = async () => {
      if (isOver) throw new Error('the transaction has been rolled back');
      committed ??= sendCommit(client);
      await committed;
    };
    const result = await work(client, commit);
    await begun;
    await commit();
    return result;
  } catch (error) {
    isOver = true;
    broken =
      isConnectionLost(error) ||
      (await client.query('rollback').then(
        () => false,
        () => true,
      ));
    throw error;
  } finally {
    client.release(broken);
  }
}

/** A statement that the next one follows at once. The connection's other statements fail where it has failed. */
export function sendAhead(client: pg.PoolClient, statement: string): Promise<unknown> {
  const sent = client.query(statement);
  sent.catch(() => undefined);
  return sent;
}

/** The server answers a commit with a rollback where a statement has failed: rejects then. */
export async function sendCommit(client: pg.PoolClient): Promise<void> {
  const { command } = await client.query('commit');
  if (command !== 'COMMIT') throw new Error('the transaction was rolled back instead of committed');
}

/** Reads that see one state of the database. Within a joined transaction they see that one's. */
export function withSnapshot<T>(pool: Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return withTransaction(pool, work, 'begin isolation level repeatable read, read only');
}

/** The single row that a query must return. */
export function onlyRow<Row>(result: { readonly rows: readonly Row[] }): Row {
  const row = result.rows[0];
  if (row === undefined || result.rows.length > 1)
    throw new Error(`expected one row, got ${result.rows.length}`);
  return row;
}

const UNIQUE_VIOLATION = '23505';

/** Whether a query failed on this unique constraint. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return (
    error instanceof pg.DatabaseError && error.code === UNIQUE_VIOLATION && error.constraint === constraint
  );
}

/** Character not in repertoire, and a character that jsonb cannot store; U+0000 is the one that occurs. */
const UNKEEPABLE_TEXT = new Set(['22021', '22P05']);

/** Whether a query failed on text that Postgres cannot store. */
export function isUnstorableText(error: unknown): boolean {
  return error instanceof pg.DatabaseError && UNKEEPABLE_TEXT.has(error.code ?? '');
}
