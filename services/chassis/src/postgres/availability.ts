/**
 * Recognises failures that mean the database is unavailable, overloaded or too slow, rather than a wrong
 * statement.
 */
import pg from 'pg';
import { isNetworkError } from '../net/network-errors.ts';

/**
 * https://www.postgresql.org/docs/current/errcodes-appendix.html: connection exceptions (08), insufficient resources
 * (53), and an operator's intervention (57), which a statement timeout counts as.
 */
const CLASSES = new Set(['08', '53', '57']);
/** idle_in_transaction_session_timeout and transaction_timeout. */
const CODES = new Set(['25P03', '25P04']);

/** Errors that pg describes by message only; availability.test.ts checks them against a server that stops. */
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

/** A pool's queue is full. */
export class PoolExhaustedError extends Error {
  override readonly name = 'PoolExhaustedError';
  constructor(waiting: number) {
    super(`${waiting} already wait for a database connection`);
  }
}

/** A connection became available after its caller's deadline had passed. */
export class DeadlinePassedError extends Error {
  override readonly name = 'DeadlinePassedError';
  constructor() {
    super('the deadline of the call passed while it waited for a database connection');
  }
}

/** Whether a retry may succeed once the database has recovered. */
export function isPostgresAway(error: unknown): boolean {
  if (error instanceof PoolExhaustedError || error instanceof DeadlinePassedError) return true;
  if (error instanceof pg.DatabaseError) {
    const code = error.code ?? '';
    return CLASSES.has(code.slice(0, 2)) || CODES.has(code);
  }
  return isNetworkError(error) || (error instanceof Error && WORDS.has(error.message));
}

/** Whether the connection is unusable: nothing can be rolled back on it. */
export function isConnectionLost(error: unknown): boolean {
  return isPostgresAway(error) && !(error instanceof pg.DatabaseError && error.code === '57014');
}
