/**
 * The client library, with two faults of its version 2.2.4 mended: every module that opens a connection takes `Kafka` from
 * here. The mends reach into the library, so a process in which that is another version does not start.
 *
 * The idle timer (tulios/kafkajs#1704): with its first answer a connection begins to look, by a timer, whether requests wait
 * to be sent, and every look sets the timer for the next one, whatever it found. As nothing is throttled, it is set for a moment
 * long past, which is a millisecond: an idle connection wakes its process some eight hundred times a second, for ever. Here a
 * look is set only while requests wait. None is forgotten by that: the library asks for a look when a request has to wait, and
 * looks by itself when an answer comes or fails to come.
 *
 * Heartbeats: the library compares times of the day. After the clock is set back by an hour it would send none for that long,
 * and a rebalance that a member does not hear of stands still for all. Sent with every chance instead, they are one for
 * each partition of every fetch, empty ones too, and each is awaited before the next partition's messages are handled. Here
 * the interval runs on a clock that never goes back. It counts from when the last heartbeat was sent; one that failed does not
 * count.
 */
import { createRequire } from 'node:module';

import kafkajs from 'kafkajs';

export { Kafka, logLevel } from 'kafkajs';
/** Not imported by name: Node does not see these among the exports of a CommonJS module. */
export const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs;

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

/** As much of the library's member of a group as the mend is about. */
export interface GroupMember {
  /** Rejects where the group wants something of the member, as to join again. */
  heartbeat(options: { readonly interval: number }): Promise<void>;
}

const MENDED_VERSION = '2.2.4';
/** The library's own, for what waits though nothing is throttled. */
const LOOK_AGAIN_AFTER_MS = 10;
/** An interval that is over at any time of the day. */
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
