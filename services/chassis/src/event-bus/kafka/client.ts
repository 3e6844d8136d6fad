/**
 * The client library with two faults of version 2.2.4 fixed. Every module that opens a connection takes
 * `Kafka` from here. The fixes change internals of the library, so a process with another version of it does
 * not start.
 *
 * The idle timer (tulios/kafkajs#1704): after its first response a connection checks by a timer whether
 * requests wait to be sent, and each check sets the timer for the next, whatever it found. Without throttling
 * the timer is set for a moment long past, which means one millisecond: an idle connection wakes its process
 * some eight hundred times a second, for ever. With the fix, a check is scheduled only while requests wait.
 * No request is forgotten: the library schedules a check when a request has to wait, and checks again when a
 * response arrives or fails to.
 *
 * Heartbeats: the library compares wall-clock times. After the clock is set back by an hour it would send no
 * heartbeat for an hour, and a rebalance that one member does not notice blocks all members. Sending a
 * heartbeat at every opportunity would mean one for each partition of every fetch, even if empty, each
 * awaited before the next partition's messages are handled. With the fix, the interval uses a monotonic clock
 * and counts from the last heartbeat that was sent; a failed one does not count.
 */
import { createRequire } from 'node:module';

import kafkajs from 'kafkajs';

export { Kafka, logLevel } from 'kafkajs';
/** Not a named import: Node does not find these among the exports of a CommonJS module. */
export const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

/** The part of the library's request queue of a connection that the fix uses. */
export interface RequestQueue {
  readonly pending: readonly unknown[];
  /** Milliseconds since 1970; in the past if the broker does not throttle. */
  readonly throttledUntil: number;
  /** Cleared by the library when the connection ends. */
  throttleCheckTimeoutId: NodeJS.Timeout | null;
  checkPendingRequests(): void;
  scheduleCheckPendingRequests(): void;
}

/** The part of the library's group member that the fix uses. */
export interface GroupMember {
  /** Rejects if the group requires an action of the member, such as joining again. */
  heartbeat(options: { readonly interval: number }): Promise<void>;
}

const MENDED_VERSION = '2.2.4';
/** The library's own interval for requests that wait without throttling. */
const LOOK_AGAIN_AFTER_MS = 10;
/** An interval that has passed at any time of day. */
const OVER = -Number.MAX_SAFE_INTEGER;

mendLibrary(createRequire(import.meta.url));

function mendLibrary(load: NodeJS.Require): void {
  const { version } = load('kafkajs/package.json') as { readonly version: string };
  if (version !== MENDED_VERSION) {
    throw new Error(
      `kafkajs is ${version}: look whether its idle timer and its heartbeats still need the mends for ${MENDED_VERSION}`,
    );
  }
  mendIdleTimer(load);
  mendHeartbeats(load);
}

function mendIdleTimer(load: NodeJS.Require): void {
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

function mendHeartbeats(load: NodeJS.Require): void {
  const { prototype: member } = load('kafkajs/src/consumer/consumerGroup.js') as {
    readonly prototype: GroupMember;
  };
  const beat = member.heartbeat;
  const sentAtMs = new WeakMap<GroupMember, number>();
  member.heartbeat = async function (this: GroupMember, { interval }) {
    const nowMs = performance.now();
    if (nowMs - (sentAtMs.get(this) ?? Number.NEGATIVE_INFINITY) < interval) return;
    await beat.call(this, { interval: OVER });
    sentAtMs.set(this, nowMs);
  };
}
