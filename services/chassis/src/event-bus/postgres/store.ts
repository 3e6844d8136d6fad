/** The SQL of the event bus on Postgres. All times are the database's. */
import { createHash } from 'node:crypto';
import type { Queryable } from '../../postgres/pool.ts';
import { onlyRow } from '../../postgres/pool.ts';
import type { IncomingMessage, OutgoingMessage, TopicDeclaration } from '../event-bus.ts';

/**
 * For connections of the bus: each statement here finds its rows by index, whatever the values, so one plan
 * serves all of them. By default the server plans most searches for messages anew. It also keeps a plan that
 * reads all messages, if there were few when it was made, until the table is analysed again.
 */
export const PLANNED_ONCE: Readonly<Record<string, string>> = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
};

/**
 * Creates missing topics, and resolves to the number of partitions of each. An existing topic keeps its
 * number of partitions whatever is declared, because another number would move keys and break their order;
 * the exception is a topic declared as `mayGrow`.
 */
export async function ensureTopics(
  db: Queryable,
  declarations: readonly TopicDeclaration[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ name: string; partitions: number }>(
    `with declared as (
       select * from unnest($1::text[], $2::int[], $3::bigint[], $4::boolean[])
         as declared (name, partitions, retention_ms, may_grow)
     )
     insert into topics as kept (name, partitions, retention)
     select name, partitions, retention_ms * interval '1 ms' from declared order by name
     on conflict (name) do update set retention = excluded.retention, partitions = case
       when (select may_grow from declared where name = kept.name)
       then greatest(kept.partitions, excluded.partitions) else kept.partitions end
     returning name, partitions`,
    [
      declarations.map((topic) => topic.name),
      declarations.map((topic) => topic.partitions),
      declarations.map((topic) => topic.retentionMs),
      declarations.map((topic) => topic.mayGrow ?? false),
    ],
  );
  await db.query(
    `insert into partitions (topic, partition)
     select name, generate_series(0, partitions - 1) from topics where name = any($1)
     on conflict do nothing`,
    [rows.map((row) => row.name)],
  );
  // Groups that already consume a topic get the partitions that were added to it.
  await db.query(
    `insert into group_partitions (group_name, topic, partition)
     select distinct group_name, topic, p.partition
     from group_partitions join partitions p using (topic) where topic = any($1)
     order by topic, partition, group_name
     on conflict do nothing`,
    [rows.map((row) => row.name)],
  );
  return new Map(rows.map((row) => [row.name, row.partitions]));
}

export async function appendMessages(
  db: Queryable,
  partitionsOf: ReadonlyMap<string, number>,
  messages: readonly OutgoingMessage[],
): Promise<void> {
  await db.query('select append_messages($1, $2, $3, $4, $5)', [
    messages.map((message) => message.topic),
    messages.map((message) => partitionOf(partitionsOf, message)),
    messages.map((message) => message.key),
    messages.map((message) => Buffer.from(message.value)),
    messages.map((message) => JSON.stringify(message.headers)),
  ]);
}

function partitionOf(partitionsOf: ReadonlyMap<string, number>, { topic, key }: OutgoingMessage): number {
  const partitions = partitionsOf.get(topic);
  if (partitions === undefined) throw new Error(`the topic ${topic} is not declared`);
  return createHash('sha256').update(key).digest().readUInt32BE() % partitions;
}

/** A new group begins at the oldest retained message of every partition. */
export async function joinGroup(db: Queryable, group: string, topics: readonly string[]): Promise<void> {
  await db.query(
    `insert into group_partitions (group_name, topic, partition)
     select $1, topic, partition from partitions where topic = any($2) order by topic, partition
     on conflict do nothing`,
    [group, topics],
  );
}

export interface Claim {
  readonly group: string;
  readonly partition: number;
  readonly position: number;
  readonly lease: string;
  readonly message: IncomingMessage;
}

export interface ClaimOptions {
  readonly group: string;
  readonly topics: readonly string[];
  readonly limit: number;
  readonly leaseMs: number;
}

interface ClaimRow extends IncomingMessage {
  readonly partition: number;
  readonly position: number;
  readonly lease: string;
}

/**
 * For statements about claims: their commits need not wait for the disk. After a crash the server may have
 * lost the last of them, and messages are delivered again. Messages published earlier are on the disk.
 */
const WITHOUT_FLUSH = "unflushed as materialized (select set_config('synchronous_commit', 'off', true))";

/**
 * Claims the next message of up to `limit` free partitions, those that have waited longest first.
 *
 * `offset 0` keeps the server from joining all messages at once: each partition is one index look-up.
 */
export async function claimMessages(db: Queryable, options: ClaimOptions): Promise<Claim[]> {
  const { group, topics, limit, leaseMs } = options;
  const { rows } = await db.query<ClaimRow>(
    `with ${WITHOUT_FLUSH}, ${freePartitions('true')}, ${CLAIMED} ${messagesOf('claimed')}`,
    [group, topics, limit, leaseMs],
  );
  return rows.map((row) => toClaim(group, row));
}

/** Needs $1 to $3: group, topics and limit. */
function freePartitions(condition: string): string {
  return `free as (
    select topic, partition from group_partitions g, unflushed
    where group_name = $1 and topic = any($2) and available_at <= now() and ${condition} and exists (
      select from messages m
      where m.topic = g.topic and m.partition = g.partition and m.position >= g.position offset 0)
    order by claimed_at limit $3 for update of g skip locked
  )`;
}

/** Needs $4: the length of the lease. */
const CLAIMED = `claimed as (
    update group_partitions g
    set lease = gen_random_uuid(), available_at = now() + $4 * interval '1 ms', claimed_at = now(),
        deliveries = deliveries + 1
    from free
    where g.group_name = $1 and g.topic = free.topic and g.partition = free.partition
    returning g.topic, g.partition, g.position, g.lease, g.deliveries
  )`;

function messagesOf(claimed: string): string {
  return `select c.topic, c.partition, m.position, c.lease, c.deliveries as delivery, m.key, m.value, m.headers
    from ${claimed} c cross join lateral (
      select position, key, value, headers from messages
      where topic = c.topic and partition = c.partition and position >= c.position
      order by position limit 1
    ) m`;
}

function toClaim(group: string, { partition, position, lease, ...message }: ClaimRow): Claim {
  return { group, partition, position, lease, message };
}

const COMPLETE_AND_CLAIM = `with ${WITHOUT_FLUSH}, held as (
    select topic, partition, exists (
      select from messages where topic = $5 and partition = $6 and position >= $8 offset 0) as has_next
    from group_partitions, unflushed
    where group_name = $1 and topic = $5 and partition = $6 and lease = $7 for update
  ), ${freePartitions('not (topic = $5 and partition = $6)')}, ${CLAIMED}, completed as (
    update group_partitions g
    set position = $8, deliveries = goes_on::int, lease = case when goes_on then gen_random_uuid() end,
        available_at = case when goes_on then now() + $4 * interval '1 ms' else '-infinity' end,
        claimed_at = case when goes_on then now() else g.claimed_at end
    from (select has_next and (select count(*) from free) < $3 as goes_on from held) next
    where g.group_name = $1 and g.topic = $5 and g.partition = $6
    returning g.topic, g.partition, g.position, g.lease, g.deliveries
  ), taken as (
    select * from claimed union all select * from completed where lease is not null
  )
  select (select count(*) from held)::int as held, message.* from (values (1)) as one_row_at_least
  left join lateral (${messagesOf('taken')}) message on true`;

/**
 * Moves the group past the message and claims the next ones, up to `limit` as `claimMessages` does. The
 * message's own partition comes last, as others have waited longer. If not held, the lease was lost and the
 * message is not completed.
 */
export async function completeAndClaim(
  db: Queryable,
  claim: Claim,
  { group, topics, limit, leaseMs }: ClaimOptions,
): Promise<{ readonly isHeld: boolean; readonly claims: readonly Claim[] }> {
  const { message, partition, lease, position } = claim;
  const { rows } = await db.query<{ readonly held: number } & (ClaimRow | { readonly lease: null })>(
    COMPLETE_AND_CLAIM,
    [group, topics, limit, leaseMs, message.topic, partition, lease, position + 1],
  );
  const claims = rows.flatMap(({ held: _, ...row }) => (row.lease === null ? [] : [toClaim(group, row)]));
  return { isHeld: rows[0]?.held === 1, claims };
}

/** Moves the group past the message. False, without a change, if the lease was lost. */
export function completeClaim(db: Queryable, claim: Claim): Promise<boolean> {
  const changes = "position = $5, deliveries = 0, available_at = '-infinity', lease = null";
  return updateClaimed(db, claim, changes, [claim.position + 1]);
}

/** Frees the partition for the same message, after a pause. */
export function retryClaim(db: Queryable, claim: Claim, delayMs: number): Promise<boolean> {
  return updateClaimed(db, claim, "available_at = now() + $5 * interval '1 ms', lease = null", [delayMs]);
}

/** Frees the partition at once, as if the message had not been delivered. */
export function returnClaim(db: Queryable, claim: Claim): Promise<boolean> {
  return updateClaimed(
    db,
    claim,
    "deliveries = deliveries - 1, available_at = '-infinity', lease = null",
    [],
  );
}

/** `values` are those of `changes`, from $5. */
async function updateClaimed(
  db: Queryable,
  claim: Claim,
  changes: string,
  values: readonly number[],
): Promise<boolean> {
  const { rowCount } = await db.query(
    `with ${WITHOUT_FLUSH}
     update group_partitions set ${changes} from unflushed
     where group_name = $1 and topic = $2 and partition = $3 and lease = $4`,
    [claim.group, claim.message.topic, claim.partition, claim.lease, ...values],
  );
  return rowCount === 1;
}

/** Extends leases, and resolves to those that are still held. */
export async function renewLeases(
  db: Queryable,
  group: string,
  leases: readonly string[],
  leaseMs: number,
): Promise<Set<string>> {
  const { rows } = await db.query<{ lease: string }>(
    `update group_partitions set available_at = now() + $3 * interval '1 ms'
     where group_name = $1 and lease = any($2::uuid[]) returning lease`,
    [group, leases, leaseMs],
  );
  return new Set(rows.map((row) => row.lease));
}

/**
 * Deletes up to `limit` messages whose retention is over; resolves to their number.
 *
 * The shortest retention is one value for all rows, so the index on times can skip younger messages.
 */
export async function pruneMessages(db: Queryable, limit: number): Promise<number> {
  const { pruned } = onlyRow(
    await db.query<{ pruned: number }>(
      `with expired as (
         select m.topic, m.partition, m.position from topics t
         join messages m on m.topic = t.name and m.published_at < now() - t.retention
         where m.published_at < (select now() - min(retention) from topics)
         limit $1 for update of m skip locked
       ), deleted as (
         delete from messages m using expired e
         where m.topic = e.topic and m.partition = e.partition and m.position = e.position
         returning 1
       )
       select count(*) as pruned from deleted`,
      [limit],
    ),
  );
  return pruned;
}
