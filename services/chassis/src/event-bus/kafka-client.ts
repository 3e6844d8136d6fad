/**
 * The client library, with a fault of its version 2.2.4 mended: whoever opens a connection takes `Kafka` from here.
 *
 * The fault (tulios/kafkajs#1704): with its first answer a connection begins to look, by a timer, whether requests wait to
 * be sent, and every look sets the timer for the next one, whatever it found. As nothing is throttled, it is set for a moment
 * long past, which is a millisecond: an idle connection wakes its process some eight hundred times a second, for ever.
 *
 * Here a look is set only while requests wait. None is forgotten by that: the library asks for a look when a request has to
 * wait, and looks by itself when an answer comes or fails to come. The mend reaches into the library, and a process in which
 * that is another version does not start.
 */
import { createRequire } from 'node:module';

export { Kafka, logLevel } from 'kafkajs';

/** As much of the library's queue of one connection as the mend is about. */
export interface RequestQueue {
  readonly pending: readonly unknown[];
  /** Milliseconds since 1970; before now where the broker throttles nothing. */
  readonly throttledUntil: number;
  /** Cleared by the library when the connection ends. */
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

const MENDED_VERSION = '2.2.4';
/** The library's own, for what waits though nothing is throttled. */
const LOOK_AGAIN_AFTER_MS = 10;

mendLibrary(createRequire(import.meta.url));

function mendLibrary(load: NodeJS.Require): void {
  const { version } = load('kafkajs/package.json') as { readonly version: string };
  if (version !== MENDED_VERSION) {
    throw new Error(
      `kafkajs is ${version}: look whether its idle timer still needs the mend for ${MENDED_VERSION}`,
    );
  }
  const { prototype: queue } = load('kafkajs/src/network/requestQueue/index.js') as {
    readonly prototype: RequestQueue;
  };
  queue.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length === 0 || this.throttleCheckTimeoutId !== null) return;
    const throttledForMs = this.throttledUntil - Date.now();
    this.throttleCheckTimeoutId = setTimeout(
      () => {
        this.throttleCheckTimeoutId = null;
        this.checkPendingRequests();
      },
      throttledForMs > 0 ? throttledForMs : LOOK_AGAIN_AFTER_MS,
    );
  };
}
