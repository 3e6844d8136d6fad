import type { Admin } from 'kafkajs';
import type { PartitionLag } from './bus-operations.ts';

/** A group that has committed nothing in a partition begins at its oldest message. */
export async function fetchLag(
  admin: Admin,
  group: string,
  topics: readonly string[],
): Promise<PartitionLag[]> {
  const committed = await admin.fetchOffsets({ groupId: group, topics: [...topics] });
  const perTopic = await Promise.all(
    committed.map(async ({ topic, partitions }) => {
      const committedAt = new Map(partitions.map(({ partition, offset }) => [partition, BigInt(offset)]));
      return (await admin.fetchTopicOffsets(topic)).map(({ partition, low, high }) => {
        const begin = BigInt(low);
        const next = committedAt.get(partition) ?? begin;
        // Never negative: the end was asked for after the commits.
        return { group, topic, partition, messages: Number(BigInt(high) - (next > begin ? next : begin)) };
      });
    }),
  );
  return perTopic.flat();
}
