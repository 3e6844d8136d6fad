import type { Server } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/**
 * Of the event loop, without a new connection: what is left of this one, one that would take a connection, one that reads what came
 * over it. A turn takes one connection at most, so that a queue of them takes as many.
 */
const QUIET_TURNS = 3;
/** Where connections do not cease to come. */
const AT_MOST_MS = 200;

/**
 * Resolves once connections to `server` and bytes that had reached the machine are read by this process.
 *
 * To wait for before a server closes: a connection that looks idle and has an unread request in it, or one that the
 * listening socket has not handed out yet, would be reset by the close. Only after a process was held up is there more
 * of it than luck.
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
