/**
 * Bounds statements in time, on both sides.
 * - Client: a server that has stopped answering (frozen, or its machine lost) would hold a statement, its
 *   connection and its caller until TCP gives up, which takes many minutes. A statement is abandoned when the
 *   running call's deadline passes, and in any case shortly after the server's own timeout; its connection is
 *   closed.
 * - Server: a transaction of a call begins with the call's remaining time as its `statement_timeout`, in the
 *   same round trip. The server ends a single statement whose connection was closed when it next checks for
 *   its client.
 */
import type pg from 'pg';
import { timeLeftMs } from '../rpc/deadline.ts';

/** No statement of a service takes this long under normal conditions. */
export const STATEMENT_TIMEOUT_MS = 15_000;
/** While the server runs, its own timeout error arrives first. */
const ANSWER_GRACE_MS = 5_000;
/**
 * The end of a transaction gets this much time even if the call is late. Also the rounding step: timers of
 * equal length are cheap.
 */
const STEP_MS = 250;
const LOOK_AFTER_CLIENT_EVERY_MS = 1_000;

type Query = (...args: readonly unknown[]) => unknown;

/** Applies to this connection from now on. */
export function boundQueries(client: pg.PoolClient): void {
  const send = client.query.bind(client) as Query;
  client.query = ((config: unknown, ...rest: readonly unknown[]) => {
    // A stream or a cursor, which the database library submits itself.
    if (typeof config === 'object' && config !== null && 'submit' in config) return send(config, ...rest);
    const leftMs = timeLeftMs();
    const longestMs = STATEMENT_TIMEOUT_MS + ANSWER_GRACE_MS;
    const timeoutMs = leftMs === undefined ? longestMs : Math.min(roundUp(leftMs), longestMs);
    const statement = typeof config === 'string' ? { text: beginWithin(config, leftMs) } : config;
    // A statement with a timeout of its own keeps it.
    return send({ query_timeout: timeoutMs, ...(statement as pg.QueryConfig) }, ...rest);
  }) as typeof client.query;
}

/** Makes the server end queries of clients that have disconnected. Not every platform can detect that. */
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
