/**
 * The bus on Kafka in relation to a backup of the database: the events that have left an outbox and are not
 * handled yet, and how to continue after a restore.
 *
 * A position is the offset of the next message. An event is in flight if it lies between a group's committed
 * position and the end of its partition. Some of these have been handled already, because a commit follows
 * the handling: consumers recognise them by the event's id. Replayed dead letters, and the dead letters
 * themselves, stay on Kafka.
 */

import { randomUUID } from 'node:crypto';
import { deadLetterQueuesAmong } from '@audiosplit/chassis/event-bus/dead-letters';
import { Kafka, logLevel } from '@audiosplit/chassis/event-bus/kafka/client';
import type { KafkaConnection } from '@audiosplit/chassis/event-bus/kafka/connection';
import { fetchTopicOffsets } from '@audiosplit/chassis/event-bus/kafka/offsets';
import { TOPIC_DECLARATIONS } from '@audiosplit/proto/topics';
import type { Admin } from 'kafkajs';

/** Messages of one partition, from `begin` up to but excluding `end`. */
interface InFlightRange {
  readonly topic: string;
  readonly partition: number;
  readonly begin: bigint;
  readonly end: bigint;
}

export interface InFlightEvent {
  readonly topic: string;
  readonly key: string;
  readonly valueBase64: string;
  readonly headers: Readonly<Record<string, string>>;
}

const READ_TIMEOUT_MS = 120_000;
const FETCH_WAIT_MS = 100;

export async function openKafkaCut({ brokers, security }: KafkaConnection) {
  const kafka = new Kafka({
    ...security,
    clientId: 'audiosplit-operator',
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
  });
  const admin = kafka.admin();
  await admin.connect();
  // Every group has queues of dead letters for all topics it subscribes to.
  const declared = TOPIC_DECLARATIONS.map(({ name }) => name);
  const subscriptions = async () => deadLetterQueuesAmong(await admin.listTopics(), declared);
  return {
    /** Ends at the present ends of the topics, so it is complete only while nothing is published. */
    async inFlight(): Promise<InFlightRange[]> {
      const ranges = new Map<string, InFlightRange>();
      for (const { group, topic } of await subscriptions()) {
        const [committed] = await admin.fetchOffsets({ groupId: group, topics: [topic] });
        for (const { partition, low, high } of await fetchTopicOffsets(admin, topic)) {
          const position = committed?.partitions.find((one) => one.partition === partition)?.offset ?? '-1';
          const begin = BigInt(position) > BigInt(low) ? BigInt(position) : BigInt(low);
          const key = `${topic} ${partition}`;
          const known = ranges.get(key);
          // The group that is furthest behind determines the range.
          if (begin < BigInt(high) && (known === undefined || begin < known.begin)) {
            ranges.set(key, { topic, partition, begin, end: BigInt(high) });
          }
        }
      }
      return [...ranges.values()];
    },
    /** Partition by partition, each in order. */
    read: (ranges: readonly InFlightRange[]) => readRanges(kafka, admin, ranges),
    /** Moves every group to the present ends of its topics. Throws while a group has members. */
    async skipToEnd() {
      for (const { group, topic } of await subscriptions()) {
        const ends = await fetchTopicOffsets(admin, topic);
        const partitions = ends.map(({ partition, high }) => ({ partition, offset: high }));
        await admin.setOffsets({ groupId: group, topic, partitions });
      }
    },
    [Symbol.asyncDispose]: () => admin.disconnect(),
  };
}

/** Reads with a temporary group, which it deletes afterwards. */
async function readRanges(
  kafka: Kafka,
  admin: Admin,
  ranges: readonly InFlightRange[],
): Promise<InFlightEvent[]> {
  if (ranges.length === 0) return [];
  const groupId = `audiosplit-operator.${randomUUID()}`;
  const topics = [...new Set(ranges.map(({ topic }) => topic))];
  for (const topic of topics) {
    const partitions = (await fetchTopicOffsets(admin, topic)).map(({ partition, high }) => {
      const wanted = ranges.find((range) => range.topic === topic && range.partition === partition);
      return { partition, offset: wanted === undefined ? high : String(wanted.begin) };
    });
    await admin.setOffsets({ groupId, topic, partitions });
  }
  const consumer = kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: FETCH_WAIT_MS,
    retry: { restartOnFailure: async () => false },
  });
  const events = new Map(ranges.map((range) => [range, [] as InFlightEvent[]]));
  const open = new Set(ranges);
  const finished = Promise.withResolvers<void>();
  consumer.on(consumer.events.CRASH, ({ payload }) => finished.reject(payload.error));
  const timer = setTimeout(
    () => finished.reject(new Error(`${topics.join(', ')} cannot be read in ${READ_TIMEOUT_MS / 1_000} s`)),
    READ_TIMEOUT_MS,
  );
  try {
    await consumer.connect();
    await consumer.subscribe({ topics });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        const range = ranges.find(
          ({ topic, partition }) => topic === batch.topic && partition === batch.partition,
        );
        if (range === undefined) return;
        for (const { offset, key, value, headers } of batch.messages) {
          if (BigInt(offset) < range.begin || BigInt(offset) >= range.end) continue;
          const texts = Object.entries(headers ?? {}).map(([name, text]) => [name, String(text ?? '')]);
          events.get(range)?.push({
            topic: batch.topic,
            key: key?.toString() ?? '',
            valueBase64: value?.toString('base64') ?? '',
            headers: Object.fromEntries(texts),
          });
        }
        if (BigInt(batch.lastOffset()) >= range.end - 1n) open.delete(range);
        if (open.size === 0) finished.resolve();
      },
    });
    await finished.promise;
  } finally {
    clearTimeout(timer);
    await consumer.disconnect();
    // The brokers delete it after a week anyway.
    await admin.deleteGroups([groupId]).catch(() => undefined);
  }
  return [...events.values()].flat();
}
