/**
 * The event bus on Postgres: for the embedded run, and for installations without Kafka.
 *
 * A topic has partitions; a key always belongs to the same one. Publishing locks the rows of its partitions
 * and increments their positions. The locks last until the commit, so positions become visible in order, and
 * a consumer that has read one position has not missed an earlier one. (A sequence does not guarantee this:
 * its numbers are drawn before the commit.) A group keeps one row per partition with its position;
 * consumer.ts describes how its members share them. Notifications wake consumers, which also poll every
 * `pollMs`, see wakeups.ts. Messages are deleted once their retention is over, whether consumed or not.
 *
 * Every subscription uses at most one connection for claims and one per finishing handler, from the bus's
 * pool. Handlers run without a transaction.
 */
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../errors.ts';
import { checkPostgres } from '../../postgres/check-postgres.ts';
import { openPool } from '../../postgres/pool.ts';
import type { Logger } from '../../process/log.ts';
import { deadLetterDeclarations, deadLetterQueuesOf, withReplays } from '../dead-letters.ts';
import {
  type MonitoredEventBus,
  type RedeliveryDelay,
  redeliveryDelayMs,
  type SubscribeOptions,
  type Subscription,
  type TopicDeclaration,
} from '../event-bus.ts';
import { startConsumer } from './consumer.ts';
import { countDeadLetters, fetchLag } from './lag.ts';
import { appendMessages, ensureTopics, joinGroup, PLANNED_ONCE, pruneMessages } from './store.ts';
import { startWakeups } from './wakeups.ts';

export const BUS_SCHEMA = 'bus';
/** For `migrate`, which must have run before the first bus on a database starts. */
export const BUS_MIGRATIONS_DIR = fileURLToPath(new URL('../../../migrations-bus', import.meta.url));

export interface PostgresEventBusOptions {
  readonly url: string;
  readonly topics: readonly TopicDeclaration[];
  readonly log: Logger;
  readonly pollMs?: number;
  /** How long the partitions of a dead member stay unavailable to others. */
  readonly leaseMs?: number;
  readonly pruneEveryMs?: number;
  readonly redeliveryDelayMs?: RedeliveryDelay;
  readonly maxConnections?: number;
}

const PRUNE_BATCH = 10_000;
/** For what no notification reports: a lost notification, and the partitions of a dead member. */
const DEFAULT_POLL_MS = 3_000;

export async function openPostgresEventBus(options: PostgresEventBusOptions): Promise<MonitoredEventBus> {
  const { url, topics, log } = options;
  const pool = openPool({
    url,
    schema: BUS_SCHEMA,
    maxConnections: options.maxConnections ?? 10,
    onError: (error) => log.warn({ err: error }, 'a connection of the bus broke'),
    settings: PLANNED_ONCE,
  });
  let partitionsOf: Map<string, number>;
  try {
    partitionsOf = await ensureTopics(pool, topics);
  } catch (error) {
    await pool.end();
    throw error;
  }
  for (const { name, partitions } of topics) {
    const kept = partitionsOf.get(name);
    if (kept !== partitions)
      log.warn({ topic: name, kept, declared: partitions }, 'a topic keeps its partitions');
  }
  const wakeups = startWakeups(pool, log);
  const subscriptions = new Map<Subscription, SubscribeOptions>();

  const prune = async () => {
    try {
      while ((await pruneMessages(pool, PRUNE_BATCH)) === PRUNE_BATCH);
    } catch (error) {
      log.warn({ reason: messageOf(error) }, 'old messages cannot be deleted; trying again later');
    }
  };
  let pruning = Promise.resolve();
  const pruneTimer = setInterval(() => {
    pruning = pruning.then(prune);
  }, options.pruneEveryMs ?? 600_000);

  return {
    async publish(messages) {
      if (messages.length === 0) return;
      await appendMessages(pool, partitionsOf, messages);
      wakeups.notify(new Set(messages.map((message) => message.topic)));
    },
    async subscribe(subscribeOptions) {
      const { group, topics: subscribed } = subscribeOptions;
      const unknown = subscribed.find((topic) => !partitionsOf.has(topic));
      if (unknown !== undefined) throw new Error(`the topic ${unknown} is not declared`);
      const deadLetters = await ensureTopics(pool, deadLetterDeclarations(group, subscribed));
      for (const [topic, partitions] of deadLetters) partitionsOf.set(topic, partitions);
      const replayed = withReplays(subscribeOptions);
      await joinGroup(pool, group, replayed.topics);
      const subscription = startConsumer({
        ...replayed,
        pool,
        wakeups,
        log,
        partitionsOf,
        pollMs: options.pollMs ?? DEFAULT_POLL_MS,
        leaseMs: options.leaseMs ?? 10_000,
        redeliveryDelayMs: options.redeliveryDelayMs ?? redeliveryDelayMs,
      });
      subscriptions.set(subscription, subscribeOptions);
      return {
        pause: () => subscription.pause(),
        resume: () => subscription.resume(),
        async [Symbol.asyncDispose]() {
          subscriptions.delete(subscription);
          await subscription[Symbol.asyncDispose]();
        },
      };
    },
    async lag() {
      const groups = new Set([...subscriptions.values()].map(({ group }) => group));
      return (await Promise.all([...groups].map((group) => fetchLag(pool, group)))).flat();
    },
    deadLetters: () => countDeadLetters(pool, deadLetterQueuesOf(subscriptions.values())),
    check: () => checkPostgres(pool),
    database: { url, onPublished: (published) => wakeups.notify(new Set(published)) },
    async [Symbol.asyncDispose]() {
      clearInterval(pruneTimer);
      await Promise.all([...subscriptions.keys()].map((subscription) => subscription[Symbol.asyncDispose]()));
      await Promise.all([pruning, wakeups[Symbol.asyncDispose]()]);
      await pool.end();
    },
  };
}
