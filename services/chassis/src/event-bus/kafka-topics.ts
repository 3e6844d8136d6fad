import { setTimeout as sleep } from 'node:timers/promises';
import type { Admin, ITopicMetadata } from 'kafkajs';
import type { Logger } from '../log.ts';
import type { TopicDeclaration } from './event-bus.ts';

const READY_TIMEOUT_MS = 15_000;
const LOOK_EVERY_MS = 50;

/**
 * Creates what is missing, and resolves once every partition has a leader. A topic that exists keeps its
 * partitions whatever is declared: another number would send keys elsewhere, and break their order.
 */
export async function ensureTopics(
  admin: Admin,
  topics: readonly TopicDeclaration[],
  log: Logger,
): Promise<void> {
  const existing = new Set(await admin.listTopics());
  const missing = topics.filter(({ name }) => !existing.has(name));
  if (missing.length > 0) {
    // False, and no error, where another process was quicker. The library's own wait for leaders gives up
    // where a broker has not heard of the new topic yet.
    await admin.createTopics({
      waitForLeaders: false,
      topics: missing.map(({ name, partitions, retentionMs }) => ({
        topic: name,
        numPartitions: partitions,
        configEntries: [{ name: 'retention.ms', value: String(retentionMs) }],
      })),
    });
  }
  const names = topics.map(({ name }) => name);
  const partitionsOf = new Map(
    (await metadataWithLeaders(admin, names)).map(({ name, partitions }) => [name, partitions.length]),
  );
  for (const { name, partitions } of topics) {
    const kept = partitionsOf.get(name);
    if (kept !== partitions) {
      log.warn({ topic: name, kept, declared: partitions }, 'a topic keeps its partitions');
    }
  }
}

async function metadataWithLeaders(admin: Admin, topics: string[]): Promise<ITopicMetadata[]> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  for (;;) {
    const metadata = await metadataIfKnown(admin, topics);
    if (metadata?.every(({ partitions }) => partitions.every(({ leader }) => leader >= 0))) return metadata;
    if (performance.now() > deadline) {
      throw new Error(
        `not every partition has a leader after ${READY_TIMEOUT_MS / 1_000} s: ${topics.join(', ')}`,
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
}

/** Undefined while a broker does not know a topic, or its leaders, yet. */
async function metadataIfKnown(admin: Admin, topics: string[]): Promise<ITopicMetadata[] | undefined> {
  try {
    return (await admin.fetchTopicMetadata({ topics })).topics;
  } catch (error) {
    if (error instanceof Error && 'retriable' in error && error.retriable === true) return undefined;
    throw error;
  }
}
