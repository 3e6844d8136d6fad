/**
 * Bounds statements in time, on both ends.
 *
 * - Here: a server that has stopped answering (frozen, or its machine gone without a word) would hold a statement, its
 *   connection and its caller for as long as TCP is patient, which is many minutes. A statement is given up when the
 *   running call's deadline passes, and in any case a little after the server itself would have; its connection is
 *   closed.
 * - There: a transaction of a call begins with the time that is left to it as its `statement_timeout`, in the same round
 *   trip. A single statement whose connection was closed is ended by the server when it looks after its client.
 */
import type pg from 'pg';
import { timeLeftMs } from '../rpc/deadline.ts';

/** No statement of a service takes this long unless something is wrong. */
export const STATEMENT_TIMEOUT_MS = 15_000;
/** The server's own word arrives first while there is a server. */
const ANSWER_GRACE_MS = 5_000;
/** The end of a transaction gets this much even when the call is late. Also the step: timers of one length are cheap. */
const STEP_MS = 250;
const LOOK_AFTER_CLIENT_EVERY_MS = 1_000;

type Query = (...args: readonly unknown[]) => unknown;

/** From now on on this connection. */
export function boundQueries(client: pg.PoolClient): void {
  const send = client.query.bind(client) as Query;
  client.query = ((config: unknown, ...rest: readonly unknown[]) => {
    // A stream or a cursor, which the database library submits by itself.
    if (typeof config === 'object' && config !== null && 'submit' in config) return send(config, ...rest);
    const leftMs = timeLeftMs();
    const longestMs = STATEMENT_TIMEOUT_MS + ANSWER_GRACE_MS;
    const timeoutMs = leftMs === undefined ? longestMs : Math.min(roundUp(leftMs), longestMs);
    const statement = typeof config === 'string' ? { text: beginWithin(config, leftMs) } : config;
    // One that names a bound of its own keeps it.
    return send({ query_timeout: timeoutMs, ...(statement as pg.QueryConfig) }, ...rest);
  }) as typeof client.query;
}

/** Has the server end queries of clients that are gone. Not every platform can detect that. */
export async function watchClient(client: pg.ClientBase): Promise<void> {
  await client
    .query({
      text: `set client_connection_check_interval = ${LOOK_AFTER_CLIENT_EVERY_MS}`,
      query_timeout: ANSWER_GRACE_MS,
    } as pg.QueryConfig)
    .catch(() => undefined);
}

function beginWithin(text: string, leftMs: number | undefined): string {
  if (text !== 'begin' || leftMs === undefined || leftMs >= STATEMENT_TIMEOUT_MS) return text;
  return `begin; set local statement_timeout = ${roundUp(leftMs)}`;
}

function roundUp(leftMs: number): number {
  return Math.max(1, Math.ceil(leftMs / STEP_MS)) * STEP_MS;
}
