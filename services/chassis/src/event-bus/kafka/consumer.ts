/**
 * One member of a consumer group on Kafka.
 *
 * The broker assigns partitions to members; each assigned partition gets a queue (partition.ts), which
 * commits each message before it takes the next (commits.ts). Failure modes:
 * - Members come and go: partitions move. Eager rebalancing, all that the client library has, does not wait
 *   for handlers, so that the message in hand may be delivered to the new owner while its handler still runs
 *   here. The handler's signal is aborted, and nothing is committed for it.
 * - This member is taken for dead (no heartbeat for `sessionTimeoutMs`, as by a blocked event loop): it joins
 *   again under a new name, and begins at the last commits.
 * - A paused member keeps its partitions; their messages wait for it.
 * - The brokers are away, for however long: the client library tries again by itself, or where it gives up although
 *   that may pass (brokers that have just started, and no coordinator yet), is started again for a minute. Errors that are final (a
 *   permission withdrawn, another protocol in the group) end the consumer, and `onCrash` is called.
 * - The brokers have lost the topics, as with their disks: they are made again, and consumed from their beginning.
 * - The client library goes quiet although the brokers answer: `onCrash` as well, see liveness.ts.
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
  /** Makes those of the bus that are missing. */
  readonly declareTopics: () => Promise<void>;
  readonly log: Logger;
  readonly redeliveryDelayMs: RedeliveryDelay;
  readonly sessionTimeoutMs: number;
}

/** Also how late a member hears of a rebalance, together with the wait of a fetch. By which clock: client.ts. */
const HEARTBEAT_EVERY_MS = 1_000;
/** Also bounds how late a partition that was full is fetched again, and how long a stop waits for a fetch. */
const FETCH_WAIT_MS = 500;
/** The client library's own number. */
const RETRIES = 5;
const RESTART_PAUSE_MS = 500;
const RESTART_FOR_MS = 60_000;
const MAX_BYTES_PER_PARTITION = 256 * 1024;
/** Twice what a rebalance may take; fetches end far more often otherwise. */
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
      // Asked before it joins again, which without the topics would fail at once, over and over.
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
  /** Since when it has been in no group, as the client library has given up. */
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

  /** A member that keeps its name across a rebalance has kept its partitions all the time, too. */
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
        // The brokers are away, which may last.
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
