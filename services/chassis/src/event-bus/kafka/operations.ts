/**
 * The operator's view of the bus on Kafka. Replayed or discarded letters are deleted by advancing the start
 * of their log, so no second record of them is needed. If a replay is interrupted before that, the next one
 * publishes the same letters again.
 */
import { randomUUID } from 'node:crypto';
import type { Admin, KafkaMessage } from 'kafkajs';
import { silentLogger } from '../../process/log.ts';
import type { BusOperations, DeadLetter } from '../bus-operations.ts';
import {
  deadLetterDeclarations,
  deadLetterQueuesAmong,
  deadLetterTopic,
  replayTopic,
  toReplay,
} from '../dead-letters.ts';
import type { DeadLetterQueue, TopicDeclaration } from '../event-bus.ts';
import { Kafka, logLevel } from './client.ts';
import type { KafkaConnection } from './connection.ts';
import { countDeadLetters, DEAD_LETTER_PARTITION, extentOfDeadLetters, fetchLag } from './lag.ts';
import { toIncoming } from './partition.ts';
import { createKafkaProducer } from './producer.ts';
import { ensureTopics } from './topics.ts';

interface KafkaOperationsOptions extends KafkaConnection {
  readonly topics: readonly TopicDeclaration[];
}

const READ_TIMEOUT_MS = 60_000;
const FETCH_WAIT_MS = 100;

export async function openKafkaOperations({
  brokers,
  security,
  topics,
}: KafkaOperationsOptions): Promise<BusOperations> {
  const log = silentLogger();
  const kafka = new Kafka({
    ...security,
    clientId: 'audiosplit-operator',
    brokers: [...brokers],
    logLevel: logLevel.NOTHING,
  });
  const declared = topics.map(({ name }) => name);
  const admin = kafka.admin();
  try {
    await admin.connect();
  } catch (error) {
    await admin.disconnect();
    throw error;
  }
  const producer = createKafkaProducer(kafka, log);

  const oldest = async (queue: DeadLetterQueue, limit: number): Promise<DeadLetter[]> => {
    const topic = deadLetterTopic(queue.group, queue.topic);
    const { low, high } = await extentOfDeadLetters(admin, queue);
    const end = low + BigInt(limit) < high ? low + BigInt(limit) : high;
    const messages = low === end ? [] : await readUpTo(kafka, admin, topic, end);
    return messages.map((message) => toLetter(topic, message));
  };
  const remove = async (queue: DeadLetterQueue, letters: readonly DeadLetter[]) => {
    const last = letters.at(-1);
    if (last === undefined) return;
    await admin.deleteTopicRecords({
      topic: deadLetterTopic(queue.group, queue.topic),
      partitions: [{ partition: DEAD_LETTER_PARTITION, offset: String(last.position + 1n) }],
    });
  };

  return {
    // A group has queues for all topics it subscribes to, even if it has consumed nothing yet.
    async lag() {
      const existing = new Set(await admin.listTopics());
      const queues = deadLetterQueuesAmong([...existing], declared);
      const perQueue = await Promise.all(
        queues.map(({ group, topic }) => {
          const concerned = [topic, replayTopic(group, topic)];
          return fetchLag(
            admin,
            group,
            concerned.filter((name) => existing.has(name)),
          );
        }),
      );
      return perQueue.flat();
    },
    async deadLetterQueues() {
      const queues = deadLetterQueuesAmong(await admin.listTopics(), declared);
      return countDeadLetters(admin, queues);
    },
    readDeadLetters: oldest,
    async replayDeadLetters(queue, limit) {
      const letters = await oldest(queue, limit);
      await ensureTopics(admin, deadLetterDeclarations(queue.group, [queue.topic]), log);
      await producer.publish(letters.map(({ message }) => toReplay(queue, message)));
      await remove(queue, letters);
      return letters;
    },
    async discardDeadLetters(queue, limit) {
      const letters = await oldest(queue, limit);
      await remove(queue, letters);
      return letters;
    },
    async [Symbol.asyncDispose]() {
      await producer[Symbol.asyncDispose]();
      await admin.disconnect();
    },
  };
}

/** Reads the messages before `end` with a temporary group. */
async function readUpTo(kafka: Kafka, admin: Admin, topic: string, end: bigint): Promise<KafkaMessage[]> {
  const groupId = `audiosplit-operator.${randomUUID()}`;
  const consumer = kafka.consumer({
    groupId,
    allowAutoTopicCreation: false,
    maxWaitTimeInMs: FETCH_WAIT_MS,
    retry: { restartOnFailure: async () => false },
  });
  const messages: KafkaMessage[] = [];
  const finished = Promise.withResolvers<void>();
  consumer.on(consumer.events.CRASH, ({ payload }) => finished.reject(payload.error));
  const timer = setTimeout(
    () => finished.reject(new Error(`${topic} cannot be read within ${READ_TIMEOUT_MS / 1_000} s`)),
    READ_TIMEOUT_MS,
  );
  try {
    await consumer.connect();
    await consumer.subscribe({ topics: [topic], fromBeginning: true });
    await consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch }) => {
        messages.push(...batch.messages.filter(({ offset }) => BigInt(offset) < end));
        if (BigInt(batch.lastOffset()) >= end - 1n) finished.resolve();
      },
    });
    await finished.promise;
  } finally {
    clearTimeout(timer);
    await consumer.disconnect();
    // If this fails, the brokers delete the group after a while anyway.
    await admin.deleteGroups([groupId]).catch(() => undefined);
  }
  return messages;
}

function toLetter(topic: string, raw: KafkaMessage): DeadLetter {
  const { delivery: _, ...message } = toIncoming(topic, raw, 1);
  return { position: BigInt(raw.offset), failedAt: new Date(Number(raw.timestamp)), message };
}
