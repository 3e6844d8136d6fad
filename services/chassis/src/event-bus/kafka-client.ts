/**
 * The client library, with a fault of its version 2.2.4 mended: whoever opens a connection takes `Kafka` from here.
 *
 * The fault (tulios/kafkajs#1704): with its first answer a connection begins to look, by a timer, whether requests wait to
 * be sent, and every look sets the timer for the next one, whatever it found. As nothing is throttled, it is set for a moment
 * long past, which is a millisecond: an idle connection wakes its process some eight hundred times a second, for ever.
 *
 * Here a look is set only while requests wait. None is forgotten by that: the library asks for a look when a request has to
 * wait, and looks by itself when an answer comes or fails to come. The mend reaches into the library and says so at the start
 * of the process where its inside is not what it knows.
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

const QUEUE_MODULE = 'kafkajs/src/network/requestQueue/index.js';
/** The library's own, for what waits though nothing is throttled. */
const LOOK_AGAIN_AFTER_MS = 10;

mend((createRequire(import.meta.url)(QUEUE_MODULE) as { readonly prototype: RequestQueue }).prototype);

function mend(queue: RequestQueue): void {
  if (typeof queue.scheduleCheckPendingRequests !== 'function') {
    throw new Error(
      `${QUEUE_MODULE} is not the one whose idle timer is mended here: look whether it still needs it`,
    );
  }
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
