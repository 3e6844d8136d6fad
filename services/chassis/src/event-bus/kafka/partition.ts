/**
 * The fetched messages of one partition, handled one after the other.
 *
 * The client library's loop only fills the queue, so it continues fetching other partitions and sending
 * heartbeats whatever a handler does. A newly assigned partition is fetched from the last commit. Messages
 * that are already queued or in flight are recognised by their offset and dropped.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { KafkaMessage } from 'kafkajs';
import type { Logger } from '../../process/log.ts';
import type { Semaphore } from '../../semaphore.ts';
import type { IncomingMessage, RedeliveryDelay } from '../event-bus.ts';

interface PartitionOptions {
  readonly topic: string;
  readonly partition: number;
  readonly maxDeliveries: number;
  readonly redeliveryDelayMs: RedeliveryDelay;
  readonly handler: (message: IncomingMessage, signal: AbortSignal) => Promise<void>;
  readonly deadLetter: (message: IncomingMessage, error: unknown) => Promise<void>;
  /** Commits all messages before `offset`. */
  readonly commit: (offset: bigint) => Promise<void>;
  /** Bounds the concurrent handlers of all partitions of a subscription. */
  readonly semaphore: Semaphore;
  readonly isPaused: () => boolean;
  readonly log: Logger;
}

export interface PartitionQueue {
  /** Calls `pauseFetching` when the queue is full, and the function it returns when there is room again. */
  push(messages: readonly KafkaMessage[], pauseFetching: () => () => void): void;
  /** Continues handling, as after a pause. */
  wake(): void;
  /** The partition belongs to another member now: empties the queue and aborts the handler. */
  lose(): void;
  /** Aborts the handler and waits for it. */
  stop(): Promise<void>;
}

const FULL = 200;
const ROOMY = 100;

export function createPartitionQueue(options: PartitionOptions): PartitionQueue {
  const { topic, partition, maxDeliveries, log } = options;
  const about = { topic, partition };
  let queue: KafkaMessage[] = [];
  let lastQueued = -1n;
  let deliveries = 0;
  let lastError: unknown;
  /** Aborted and replaced when the partition is lost: results under an old one no longer count. */
  let ownership = new AbortController();
  let running: Promise<void> | undefined;
  let resumeFetching: (() => void) | undefined;
  let stopped = false;

  const mayRun = () => !stopped && !options.isPaused() && queue.length > 0;

  const wake = () => {
    if (running !== undefined || !mayRun()) return;
    running = run().finally(() => {
      running = undefined;
      wake();
    });
  };

  const run = async () => {
    while (mayRun()) {
      const [message] = queue;
      if (message !== undefined) await settle(message, ownership);
    }
  };

  const settle = async (raw: KafkaMessage, owner: AbortController) => {
    let isDone = deliveries < maxDeliveries && (await deliver(raw, owner));
    if (owner !== ownership) return;
    // Without a pause: the rest of the partition has waited long enough.
    if (!isDone && deliveries >= maxDeliveries) isDone = await bury(raw);
    if (owner !== ownership) return;
    if (!isDone) {
      if (deliveries > 0) await pauseBeforeRedelivery(owner.signal);
      return;
    }
    queue.shift();
    deliveries = 0;
    if (queue.length <= ROOMY) endFetchPause();
    try {
      await options.commit(BigInt(raw.offset) + 1n);
    } catch (error) {
      log.warn(
        { err: error, ...about, offset: raw.offset },
        'an offset cannot be committed; a later one will do',
      );
    }
  };

  /** True when the message is consumed. */
  const deliver = async (raw: KafkaMessage, owner: AbortController): Promise<boolean> => {
    await using _held = await options.semaphore.acquire();
    // The state may have changed while the handler waited for the semaphore.
    if (owner !== ownership || !mayRun()) return false;
    deliveries += 1;
    const message = toIncoming(topic, raw, deliveries);
    try {
      await options.handler(message, owner.signal);
      return true;
    } catch (error) {
      lastError = error;
      if (!owner.signal.aborted) {
        log.warn(
          { err: error, ...about, offset: raw.offset, delivery: deliveries },
          'a message was not handled',
        );
      }
      return false;
    }
  };

  const bury = async (raw: KafkaMessage): Promise<boolean> => {
    try {
      await options.deadLetter(toIncoming(topic, raw, deliveries), lastError);
      log.error({ err: lastError, ...about, offset: raw.offset }, 'a message became a dead letter');
      return true;
    } catch (error) {
      log.warn(
        { err: error, ...about, offset: raw.offset },
        'a dead letter cannot be published; trying again',
      );
      return false;
    }
  };

  const pauseBeforeRedelivery = (signal: AbortSignal) =>
    sleep(options.redeliveryDelayMs(deliveries), undefined, { signal }).catch(() => undefined);

  const endFetchPause = () => {
    resumeFetching?.();
    resumeFetching = undefined;
  };

  return {
    push(messages, pauseFetching) {
      for (const message of messages) {
        const offset = BigInt(message.offset);
        if (offset <= lastQueued) continue;
        queue.push(message);
        lastQueued = offset;
      }
      if (queue.length >= FULL) resumeFetching ??= pauseFetching();
      wake();
    },
    wake,
    lose() {
      ownership.abort(new Error('the partition has gone to another member'));
      ownership = new AbortController();
      queue = [];
      lastQueued = -1n;
      deliveries = 0;
      endFetchPause();
    },
    async stop() {
      stopped = true;
      ownership.abort(new Error('the subscription ends'));
      await running;
    },
  };
}

export function toIncoming(topic: string, raw: KafkaMessage, delivery: number): IncomingMessage {
  const headers = Object.entries(raw.headers ?? {}).map(([name, value]) => [name, String(value ?? '')]);
  return {
    topic,
    key: raw.key?.toString() ?? '',
    value: raw.value ?? new Uint8Array(),
    headers: Object.fromEntries(headers),
    delivery,
  };
}
