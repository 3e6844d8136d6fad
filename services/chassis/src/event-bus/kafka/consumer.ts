/**
 * One member of a consumer group on Kafka.
 *
 * The broker assigns partitions to members; each assigned partition gets a queue (partition.ts), which
 * commits each message before it takes the next (commits.ts). Failure modes:
 * - Members come and go: partitions move. The client library has eager rebalancing only, which does not wait
 *   for handlers. The message in flight may therefore reach the new owner while its handler still runs here.
 *   The handler's signal aborts, and its message is not committed.
 * - The group considers this member dead (no heartbeat for `sessionTimeoutMs`, as with a blocked event loop):
 *   it joins again under a new id and starts at the last commits.
 * - A paused member keeps its partitions; their messages wait for it.
 * - The brokers are unavailable, for any time: the client library retries. If it gives up on a transient
 *   error (brokers that have just started, without a coordinator), it is restarted for a minute. Final errors
 *   (a permission withdrawn, another protocol in the group) end the consumer and call `onCrash`.
 * - The brokers have lost the topics, for example with their disks: they are created again and consumed from
 *   the beginning.
 * - The client library stops consuming although the brokers answer: `onCrash` is called, see liveness.ts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConsumerGroupJoinEvent, Kafka } from 'kafkajs';
import type { Logger } from '../../process/log.ts';
import { createSemaphore } from '../../semaphore.ts';
import { toDeadLetter } from '../dead-letters.ts';
import {
  DEFAULT_MAX_DELIVERIES,
  MAX_CONCURRENT_HANDLERS,
  type OutgoingMessage,
  type RedeliveryDelay,
  type SubscribeOptions,
  type Subscription,
} from '../event-bus.ts';
import { createCommits } from './commits.ts';
import { isMissingTopic, isTransient } from './errors.ts';
import { createLivenessWatch } from './liveness.ts';
import { createPartitionQueue, type PartitionQueue } from './partition.ts';

interface KafkaConsumerOptions extends SubscribeOptions {
  readonly kafka: Kafka;
  readonly publish: (messages: readonly OutgoingMessage[]) => Promise<void>;
  /** Resolves when the brokers answer. */
  readonly checkBrokers: () => Promise<void>;
  /** Creates the bus's missing topics. */
  readonly declareTopics: () => Promise<void>;
  readonly log: Logger;
  readonly redeliveryDelayMs: RedeliveryDelay;
  readonly sessionTimeoutMs: number;
}

/**
 * Also bounds, with the wait of a fetch, how late a member notices a rebalance. client.ts says by which
 * clock.
 */
const HEARTBEAT_EVERY_MS = 1_000;
/** Also bounds the delay before a full partition is fetched again, and how long a stop waits for a fetch. */
const FETCH_WAIT_MS = 500;
/** The client library's default. */
const RETRIES = 5;
const RESTART_PAUSE_MS = 500;
const RESTART_FOR_MS = 60_000;
const MAX_BYTES_PER_PARTITION = 256 * 1024;
/** Twice the longest rebalance; otherwise fetches end far more often. */
const MAX_SILENCE_MS = 120_000;
const LOOK_FOR_LIFE_EVERY_MS = 15_000;

export async function startKafkaConsumer(options: KafkaConsumerOptions): Promise<Subscription> {
  const { kafka, group, topics, log, sessionTimeoutMs } = options;
  const consumer = kafka.consumer({
    groupId: group,
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: FETCH_WAIT_MS,
    maxBytesPerPartition: MAX_BYTES_PER_PARTITION,
    sessionTimeout: sessionTimeoutMs,
    heartbeatInterval: HEARTBEAT_EVERY_MS,
    retry: {
      retries: RETRIES,
      // Called before the consumer joins again, which fails at once, again and again, without the topics.
      async restartOnFailure(error) {
        if (isMissingTopic(error)) await options.declareTopics();
        return true;
      },
    },
  });
  const queues = new Map<string, PartitionQueue>();
  const commits = createCommits((offsets) => consumer.commitOffsets(offsets));
  const semaphore = createSemaphore(options.maxConcurrentHandlers ?? MAX_CONCURRENT_HANDLERS);
  let paused = false;
  let stopping = false;
  let memberId: string | undefined;
  /** The time since when the member has been in no group because the client library gave up. */
  let givenUpAtMs: number | undefined;

  const queueOf = (topic: string, partition: number): PartitionQueue => {
    const key = keyOf(topic, partition);
    const existing = queues.get(key);
    if (existing !== undefined) return existing;
    const created = createPartitionQueue({
      topic,
      partition,
      semaphore,
      log,
      handler: options.handler,
      maxDeliveries: options.maxDeliveries ?? DEFAULT_MAX_DELIVERIES,
      redeliveryDelayMs: options.redeliveryDelayMs,
      isPaused: () => paused || stopping,
      deadLetter: (message, error) => options.publish([toDeadLetter(group, message, error)]),
      commit: (offset) => commits.commit(key, { topic, partition, offset: String(offset) }),
    });
    queues.set(key, created);
    return created;
  };

  /** A member whose id survives a rebalance has kept its partitions throughout. */
  const onJoin = ({ payload }: ConsumerGroupJoinEvent) => {
    const kept = new Set(
      Object.entries(payload.memberId === memberId ? payload.memberAssignment : {}).flatMap(
        ([topic, partitions]) => partitions.map((partition) => keyOf(topic, partition)),
      ),
    );
    memberId = payload.memberId;
    givenUpAtMs = undefined;
    for (const [key, queue] of queues) {
      if (kept.has(key)) continue;
      commits.drop(key);
      queue.lose();
    }
  };

  const liveness = createLivenessWatch({
    maxSilenceMs: MAX_SILENCE_MS,
    nowMs: () => performance.now(),
    check: options.checkBrokers,
  });
  const { GROUP_JOIN, HEARTBEAT, FETCH, CRASH } = consumer.events;
  for (const event of [GROUP_JOIN, HEARTBEAT, FETCH, CRASH]) consumer.on(event, liveness.sign);
  const watch = setInterval(async () => {
    if (!(await liveness.isDead()) || stopping) return;
    clearInterval(watch);
    options.onCrash(new Error(`the consumer of ${group} does nothing although the brokers answer`));
  }, LOOK_FOR_LIFE_EVERY_MS);
  consumer.on(GROUP_JOIN, onJoin);
  const consume = () =>
    consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch, pause }) => {
        queueOf(batch.topic, batch.partition).push(batch.messages, pause);
      },
    });
  let restarting: Promise<void> | undefined;
  const startAgain = async () => {
    for (;;) {
      await sleep(RESTART_PAUSE_MS);
      if (stopping) return;
      try {
        await consumer.connect();
        await consume();
        return;
      } catch (error) {
        if (!isTransient(error)) throw error;
        // The brokers are unavailable, which may last.
        givenUpAtMs = undefined;
      }
    }
  };
  consumer.on(CRASH, ({ payload: { error, restart } }) => {
    if (restart) return;
    givenUpAtMs ??= performance.now();
    const mayPass = isTransient(error) && performance.now() - givenUpAtMs < RESTART_FOR_MS;
    if (mayPass) restarting = startAgain().catch(options.onCrash);
    else options.onCrash(error);
  });
  const stop = async () => {
    stopping = true;
    clearInterval(watch);
    await restarting;
    await Promise.all([...queues.values()].map((queue) => queue.stop()));
    await consumer.disconnect();
  };
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [...topics], fromBeginning: true });
    await consume();
  } catch (error) {
    await stop();
    throw error;
  }

  return {
    pause() {
      paused = true;
    },
    resume() {
      paused = false;
      for (const queue of queues.values()) queue.wake();
    },
    [Symbol.asyncDispose]: stop,
  };
}

function keyOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
