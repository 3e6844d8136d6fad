/**
 * The transactional outbox: an event is a row written in the transaction that makes it true.
 *
 * The relay publishes rows in the order of their ids and deletes them once the bus has acknowledged. It
 * may publish a row twice (crash between acknowledgement and delete), never lose one. Rows of one key keep
 * their order because writers of one key serialise on the row of their job or account.
 */
import type { OutgoingMessage } from '../event-bus/event-bus.ts';
import type { Queryable } from '../postgres/pool.ts';
import { traceHeaders } from '../trace.ts';

export interface OutboxMessage {
  readonly topic: string;
  readonly key: string;
  readonly value: Uint8Array;
}

/** Inside a transaction. The running trace goes along in the headers. Call the relay's `wake` after the commit. */
export async function appendToOutbox(db: Queryable, messages: readonly OutboxMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await db.query(
    `insert into outbox (topic, key, value, headers)
     select topic, key, value, $4 from unnest($1::text[], $2::text[], $3::bytea[]) as message (topic, key, value)`,
    [
      messages.map((message) => message.topic),
      messages.map((message) => message.key),
      messages.map((message) => Buffer.from(message.value)),
      JSON.stringify(traceHeaders()),
    ],
  );
}

export interface OutboxRow extends OutgoingMessage {
  readonly id: number;
}

export async function readOutbox(db: Queryable, limit: number): Promise<OutboxRow[]> {
  const { rows } = await db.query<OutboxRow>(
    'select id, topic, key, value, headers from outbox order by id limit $1',
    [limit],
  );
  return rows;
}

export async function deleteFromOutbox(db: Queryable, ids: readonly number[]): Promise<void> {
  await db.query('delete from outbox where id = any($1::bigint[])', [ids]);
}

/**
 * Inside the transaction that acts on an event: true the first time, false for a redelivery.
 */
export async function consumeOnce(db: Queryable, consumer: string, eventId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into consumed_events (consumer, event_id) values ($1, $2) on conflict do nothing',
    [consumer, eventId],
  );
  return rowCount === 1;
}

/** Redeliveries come within minutes; a week is far beyond every bus's retention of unread messages here. */
export async function pruneConsumedEvents(db: Queryable): Promise<void> {
  await db.query("delete from consumed_events where consumed_at < now() - interval '8 days'");
}
