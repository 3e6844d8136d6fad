/**
 * One member of a consumer group on Postgres.
 *
 * It claims free partitions that have a message, each with a lease, up to its number of free slots. It runs
 * the handlers and renews the leases meanwhile. One statement then moves the group past the message, frees
 * the partition and claims the next ones; it has no effect if the lease was lost. Partitions are not assigned
 * to members: a member with a free slot takes the partition that has waited longest, so a paused or slow
 * member blocks no other.
 *
 * Failure modes:
 * - A member dies: its partitions wait until their leases end. Other members then receive the same messages.
 *   The lost delivery counts, so a message that kills processes becomes a dead letter.
 * - A member stalls beyond its lease: another member receives the message while the first handler may still
 *   run. The signal aborts once the member notices, and its result is ignored.
 * - The database is unavailable: handlers finish, but their completion fails, and the messages are delivered
 *   again. The member retries until the database is back, and never calls `onCrash`.
 */

import { type Pool, withTransaction } from '../../postgres/pool.ts';
import type { Logger } from '../../process/log.ts';
import { createSleeper } from '../../sleeper.ts';
import { toDeadLetter } from '../dead-letters.ts';
import {
  DEFAULT_MAX_DELIVERIES,
  MAX_CONCURRENT_HANDLERS,
  type RedeliveryDelay,
  type SubscribeOptions,
  type Subscription,
} from '../event-bus.ts';
import {
  appendMessages,
  type Claim,
  claimMessages,
  completeAndClaim,
  completeClaim,
  renewLeases,
  retryClaim,
  returnClaim,
} from './store.ts';
import type { Wakeups } from './wakeups.ts';

interface ConsumerOptions extends SubscribeOptions {
  readonly pool: Pool;
  readonly wakeups: Wakeups;
  readonly log: Logger;
  readonly partitionsOf: ReadonlyMap<string, number>;
  readonly pollMs: number;
  readonly leaseMs: number;
  readonly redeliveryDelayMs: RedeliveryDelay;
}

const MAX_FAILURE_PAUSE_MS = 10_000;
/** Timers may be a little ahead of the database's clock. */
const REDELIVERY_GRACE_MS = 10;

export function startConsumer(options: ConsumerOptions): Subscription {
  const { pool, wakeups, log, group, topics, pollMs, leaseMs } = options;
  const maxDeliveries = options.maxDeliveries ?? DEFAULT_MAX_DELIVERIES;
  const maxConcurrentHandlers = options.maxConcurrentHandlers ?? MAX_CONCURRENT_HANDLERS;
  const inHand = new Map<Claim, AbortController>();
  const finishing = new Set<Promise<void>>();
  const timers = new Set<NodeJS.Timeout>();
  const stop = new AbortController();
  /** Slots reserved by claims in flight. */
  let places = 0;
  let paused = false;
  let woken = false;
  let news = 0;
  const sleeper = createSleeper();

  const wake = () => {
    news += 1;
    woken = true;
    sleeper.wake();
  };

  const claimAndStart = async () => {
    const limit = freePlaces();
    if (paused || limit === 0) return;
    places += limit;
    try {
      start(await claimMessages(pool, { group, topics, limit, leaseMs }));
    } finally {
      places -= limit;
    }
  };

  const freePlaces = () => maxConcurrentHandlers - inHand.size - places;

  const start = (claims: readonly Claim[]) => {
    for (const claim of claims) {
      const finished = paused || stop.signal.aborted ? giveBack(claim) : work(claim);
      finishing.add(finished);
      void finished.finally(() => finishing.delete(finished));
    }
  };

  /**
   * Completes a message and claims the next ones. No further claim is needed unless a notification arrives
   * meanwhile.
   */
  const completeAndGoOn = async (claim: Claim): Promise<boolean> => {
    if (paused || stop.signal.aborted) return leaving(claim, completeClaim(pool, claim));
    const others = freePlaces();
    const newsBefore = news;
    places += others;
    try {
      const limit = others + 1;
      const { isHeld, claims } = await completeAndClaim(pool, claim, { group, topics, limit, leaseMs });
      inHand.delete(claim);
      start(claims);
      if (news !== newsBefore) wake();
      return isHeld;
    } finally {
      places -= others;
    }
  };

  const run = async () => {
    let failures = 0;
    while (!stop.signal.aborted) {
      woken = false;
      try {
        await claimAndStart();
        if (failures > 0) log.info({ group }, 'the bus is back');
        failures = 0;
      } catch (error) {
        if (failures === 0) log.warn({ err: error, group }, 'the bus cannot be read; trying again');
        failures += 1;
      }
      if (stop.signal.aborted) break;
      if (failures > 0)
        await sleeper.sleep(Math.min(MAX_FAILURE_PAUSE_MS, 100 * 2 ** Math.min(failures, 10)));
      else if (!woken) await sleeper.sleep(pollMs);
    }
  };

  /** Wakes the consumer for a redelivery, which no notification reports. */
  const wakeAfter = (delayMs: number) => {
    const timer = setTimeout(() => {
      timers.delete(timer);
      wake();
    }, delayMs + REDELIVERY_GRACE_MS);
    timers.add(timer);
  };

  /** Never rejects: if the result cannot be written, the message is delivered again when the lease ends. */
  const work = async (claim: Claim) => {
    const controller = new AbortController();
    inHand.set(claim, controller);
    try {
      const held = await settle(claim, controller.signal);
      if (!held) log.warn(aboutOf(claim), 'a message took longer than its lease; it is delivered again');
    } catch (error) {
      log.warn({ err: error, ...aboutOf(claim) }, 'the end of a message cannot be written; it comes again');
      leave(claim);
    }
  };

  const leave = (claim: Claim) => {
    inHand.delete(claim);
    // This member checks the partition for its next message itself; while paused, it notifies the others.
    if (paused) wakeups.notify([claim.message.topic]);
    wake();
  };

  /** Resolves to the result of `end`. */
  const leaving = async (claim: Claim, end: Promise<boolean>): Promise<boolean> => {
    const held = await end;
    leave(claim);
    return held;
  };

  /** False if the lease was lost. */
  const settle = async (claim: Claim, signal: AbortSignal): Promise<boolean> => {
    const { message } = claim;
    // Only deliveries whose process died get past the limit.
    if (message.delivery > maxDeliveries) {
      return leaving(claim, deadLetter(claim, new Error('its consumers died while they handled it')));
    }
    try {
      await options.handler(message, signal);
    } catch (error) {
      if (stop.signal.aborted) return leaving(claim, returnClaim(pool, claim));
      if (message.delivery === maxDeliveries) return leaving(claim, deadLetter(claim, error));
      log.warn({ err: error, ...aboutOf(claim) }, 'a message was not handled; it comes again');
      const delayMs = options.redeliveryDelayMs(message.delivery);
      const held = await leaving(claim, retryClaim(pool, claim, delayMs));
      wakeAfter(delayMs);
      return held;
    }
    return completeAndGoOn(claim);
  };

  const deadLetter = async (claim: Claim, error: unknown): Promise<boolean> => {
    const letter = toDeadLetter(group, claim.message, error);
    const held = await withTransaction(pool, async (client) => {
      const stillMine = await completeClaim(client, claim);
      if (stillMine) await appendMessages(client, options.partitionsOf, [letter]);
      return stillMine;
    });
    if (held) {
      log.error(
        { err: error, ...aboutOf(claim), deadLetterTopic: letter.topic },
        'a message became a dead letter',
      );
      wakeups.notify([letter.topic]);
    }
    return held;
  };

  const giveBack = async (claim: Claim) => {
    try {
      await returnClaim(pool, claim);
      wakeups.notify([claim.message.topic]);
    } catch (error) {
      log.warn({ err: error, ...aboutOf(claim) }, 'a message cannot be given back; its lease must end first');
    }
  };

  const renewHeld = async () => {
    const claims = [...inHand];
    if (claims.length === 0) return;
    try {
      const leases = claims.map(([claim]) => claim.lease);
      const held = await renewLeases(pool, group, leases, leaseMs);
      for (const [claim, controller] of claims) {
        if (!held.has(claim.lease) && inHand.has(claim)) controller.abort(new Error('the lease was lost'));
      }
    } catch (error) {
      log.warn({ err: error, group }, 'the leases of messages in hand cannot be renewed');
    }
  };

  const aboutOf = ({ message, partition, position }: Claim) => ({
    group,
    topic: message.topic,
    partition,
    position,
    delivery: message.delivery,
  });

  const stopListening = wakeups.onNews(topics, wake);
  let renewing = Promise.resolve();
  const renewal = setInterval(() => {
    renewing = renewHeld();
  }, leaseMs / 3);
  const running = run();

  return {
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      wake();
    },
    async [Symbol.asyncDispose]() {
      stopListening();
      stop.abort(new Error('the subscription ends'));
      sleeper.wake();
      for (const controller of inHand.values()) controller.abort(stop.signal.reason);
      await running;
      // A message that was claimed just before the stop is returned.
      while (finishing.size > 0) await Promise.all(finishing);
      clearInterval(renewal);
      for (const timer of timers) clearTimeout(timer);
      await renewing;
    },
  };
}
