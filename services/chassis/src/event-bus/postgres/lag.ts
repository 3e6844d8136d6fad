import { onlyRow, type Queryable } from '../../postgres/pool.ts';
import { deadLetterTopic } from '../dead-letters.ts';
import type { DeadLetterCount, DeadLetterQueue, PartitionLag } from '../event-bus.ts';

/** Messages whose retention ended before the group reached them no longer count. */
export async function fetchLag(db: Queryable, group: string): Promise<PartitionLag[]> {
  const { rows } = await db.query<PartitionLag>(
    `select g.group_name as "group", g.topic, g.partition,
       p.next_position - greatest(g.position, coalesce(kept.oldest, p.next_position)) as messages
     from group_partitions g
     join partitions p using (topic, partition)
     cross join lateral (
       select min(position) as oldest from messages m where m.topic = g.topic and m.partition = g.partition
     ) kept
     where g.group_name = $1
     order by g.topic, g.partition`,
    [group],
  );
  return rows;
}

export function countDeadLetters(
  db: Queryable,
  queues: readonly DeadLetterQueue[],
): Promise<DeadLetterCount[]> {
  return Promise.all(
    queues.map(async (queue) => {
      const { letters } = onlyRow(
        await db.query<{ letters: number }>('select count(*) as letters from messages where topic = $1', [
          deadLetterTopic(queue.group, queue.topic),
        ]),
      );
      return { ...queue, letters };
    }),
  );
}
