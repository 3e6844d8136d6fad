/** Which failures say that the database is away, overloaded or too slow, and not that the statement is wrong. */
import pg from 'pg';
import { isNetworkError } from '../net/network-errors.ts';

/**
 * https://www.postgresql.org/docs/current/errcodes-appendix.html: connection exceptions (08), insufficient resources
 * (53), and an operator's intervention (57), which a statement timeout counts as.
 */
const CLASSES = new Set(['08', '53', '57']);
/** A transaction that lay idle for too long, and one that lasted for too long. */
const CODES = new Set(['25P03', '25P04']);

/** What pg says in words alone; availability.test.ts hears them from a server that goes away. */
const WORDS = new Set([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'timeout expired',
]);

/** The bound of a pool's queue. */
export class PoolExhaustedError extends Error {
  override readonly name = 'PoolExhaustedError';
  constructor(waiting: number) {
    super(`${waiting} already wait for a database connection`);
  }
}

/** A connection became free after its query had stopped waiting. */
export class DeadlinePassedError extends Error {
  override readonly name = 'DeadlinePassedError';
  constructor() {
    super('the deadline of the call passed while it waited for a database connection');
  }
}

/** Whether a repeat may succeed once the database is well again. */
export function isPostgresAway(error: unknown): boolean {
  if (error instanceof PoolExhaustedError || error instanceof DeadlinePassedError) return true;
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    return CLASSES.has(code.slice(0, 2)) || CODES.has(code);
  }
  return isNetworkError(error) || (error instanceof Error && WORDS.has(error.message));
}

/** Whether the connection is of no use any more: there is nothing to be rolled back on it. */
export function isConnectionLost(error: unknown): boolean {
  return isPostgresAway(error) && !(error instanceof pg.DatabaseError && error.code === '57014');
}
