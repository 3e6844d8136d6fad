import type { Server } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/**
 * Turns of the event loop without a new connection: the rest of the current one, one that accepts a
 * connection, one that reads its bytes. A turn accepts at most one connection, so a backlog of several takes
 * as many turns.
 */
const QUIET_TURNS = 3;
/** Applies if new connections keep arriving. */
const AT_MOST_MS = 200;

/**
 * Resolves once this process has read the connections to `server` and the bytes that had reached the machine.
 *
 * Await it before closing a server: the close would reset a connection that looks idle but has an unread
 * request, and one that the listening socket has not accepted yet. Such connections are common only after the
 * process was blocked.
 */
export async function readArrived(server: Server): Promise<void> {
  const untilMs = performance.now() + AT_MOST_MS;
  let quiet = 0;
  const onConnection = () => {
    quiet = 0;
  };
  server.on('connection', onConnection);
  try {
    while (quiet < QUIET_TURNS && performance.now() < untilMs) {
      quiet += 1;
      await setImmediate();
    }
  } finally {
    server.off('connection', onConnection);
  }
}
