import type { Admin } from 'kafkajs';
import { deadLetterTopic } from '../dead-letters.ts';
import type { DeadLetterCount, DeadLetterQueue, PartitionLag } from '../event-bus.ts';
import { fetchTopicOffsets } from './offsets.ts';

/** Dead-letter topics are declared with one partition. */
export const DEAD_LETTER_PARTITION = 0;

/** A group without a commit in a partition starts at its oldest message. */
export async function fetchLag(
  admin: Admin,
  group: string,
  topics: readonly string[],
): Promise<PartitionLag[]> {
  const committed = await admin.fetchOffsets({ groupId: group, topics: [...topics] });
  const perTopic = await Promise.all(
    committed.map(async ({ topic, partitions }) => {
      const committedAt = new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
      return (await fetchTopicOffsets(admin, topic)).map(({ partition, low, high }) => {
        const begin = BigInt(low);
        const next = committedAt.get(partition) ?? begin;
        // Never negative: the end is read after the commits.
        return { group, topic, partition, messages: Number(BigInt(high) - (next > begin ? next : begin)) };
      });
    }),
  );
  return perTopic.flat();
}

export function countDeadLetters(
  admin: Admin,
  queues: readonly DeadLetterQueue[],
): Promise<DeadLetterCount[]> {
  return Promise.all(
    queues.map(async (queue) => {
      const { low, high } = await extentOfDeadLetters(admin, queue);
      return { ...queue, letters: Number(high - low) };
    }),
  );
}

/** Offsets from the oldest letter to the end. */
export async function extentOfDeadLetters(
  admin: Admin,
  { group, topic }: DeadLetterQueue,
): Promise<{ low: bigint; high: bigint }> {
  const offsets = await fetchTopicOffsets(admin, deadLetterTopic(group, topic));
  const extent = offsets.find(({ partition }) => partition === DEAD_LETTER_PARTITION);
  return { low: BigInt(extent?.low ?? 0), high: BigInt(extent?.high ?? 0) };
}
