import type { Queryable } from '../postgres/pool.ts';
import type { PartitionLag } from './bus-operations.ts';

/** Messages whose retention was over before the group came to them no longer count. */
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
