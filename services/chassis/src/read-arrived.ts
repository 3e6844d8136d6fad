import { setImmediate } from 'node:timers/promises';

/** Of the event loop: what is left of this one, one that takes connections, one that reads what came over them. */
const TURNS = 3;

/**
 * Resolves once connections and bytes that had reached the machine are read by this process.
 *
 * To wait for before a server closes: a connection that looks idle and has an unread request in it, or one that the
 * listening socket has not handed out yet, would be reset by the close. Only after a process was held up is there more
 * of it than luck.
 */
export async function readArrived(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
}
