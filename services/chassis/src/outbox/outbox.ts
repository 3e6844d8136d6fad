/**
 * The transactional outbox: an event is a row written in the transaction that makes it true.
 *
 * The relay publishes rows in the order of their ids and deletes them once the bus has acknowledged. It
 * may publish a row twice (crash between acknowledgement and delete), never lose one. Rows of one key keep
 * their order because writers of one key serialise on the row of their job or account.
 *
 * Where the bus lies in the same database, transactions publish their rows themselves as they commit, and the relay finds
 * only those of other releases (postgres/publishing-pools.ts).
 */
import type { OutgoingMessage } from '../event-bus/event-bus.ts';
import { sentHeaders } from '../observability/traced-messages.ts';
import type { Queryable } from '../postgres/pool.ts';
import { publishesAtCommit } from '../postgres/publishing-pools.ts';
import { traceHeaders } from '../trace.ts';

export interface OutboxMessage {
  readonly topic: string;
  readonly key: string;
  readonly value: Uint8Array;
}

/**
 * Half of what a Kafka broker takes by default, headers included. An event beyond it could never be published
 * and would hold up all that come after it, so that it is refused while its transaction can still fail.
 */
export const MAX_EVENT_BYTES = 512 * 1024;

/**
 * Inside a transaction. The running trace goes along in the headers. Call the relay's `wake` after the commit.
 * Throws RangeError for an event of more than MAX_EVENT_BYTES.
 */
export async function appendToOutbox(db: Queryable, messages: readonly OutboxMessage[]): Promise<void> {
  if (messages.length === 0) return;
  for (const message of messages) requirePublishable(message);
  await db.query(
    `insert into outbox (topic, key, value, headers)
     select * from unnest($1::text[], $2::text[], $3::bytea[], $4::jsonb[])`,
    [
      messages.map((message) => message.topic),
      messages.map((message) => message.key),
      messages.map((message) => Buffer.from(message.value)),
      messages.map((message) => headersOf(db, message.topic)),
    ],
  );
}

function requirePublishable({ topic, value }: OutboxMessage): void {
  if (value.byteLength <= MAX_EVENT_BYTES) return;
  throw new RangeError(`an event of ${value.byteLength} bytes for ${topic} exceeds ${MAX_EVENT_BYTES}`);
}

/**
 * Topic, key, value and headers, for statements that write an event to the outbox together with its change. Throws
 * RangeError as `appendToOutbox` does.
 */
export function outboxValues(
  db: Queryable,
  message: OutboxMessage,
): readonly [string, string, Buffer, string] {
  requirePublishable(message);
  const { topic, key, value } = message;
  return [topic, key, Buffer.from(value), headersOf(db, topic)];
}

/** As JSON: those of a message that is written to the outbox now. */
function headersOf(db: Queryable, topic: string): string {
  // The relay gives others their span when it sends them.
  return JSON.stringify(publishesAtCommit(db) ? sentHeaders(topic) : traceHeaders());
}

interface OutboxRow extends OutgoingMessage {
  readonly id: number;
}

interface OutboxBatch {
  readonly rows: readonly OutboxRow[];
  /** Whether a bound has ended the batch, so that there may be more. */
  readonly isFull: boolean;
}

/** The oldest rows: at most `maxRows`, of values of `maxBytes` together unless the first one alone has more. */
export async function readOutbox(
  db: Queryable,
  { maxRows, maxBytes }: { readonly maxRows: number; readonly maxBytes: number },
): Promise<OutboxBatch> {
  const { rows } = await db.query<OutboxRow & { readonly found: number }>(
    `select id, topic, key, value, headers, found from (
       select *, row_number() over (order by id) as place, count(*) over () as found,
         sum(octet_length(value)) over (order by id) as bytes
       from (select id, topic, key, value, headers from outbox order by id limit $1) oldest
     ) measured
     where bytes <= $2 or place = 1
     order by id`,
    [maxRows, maxBytes],
  );
  const found = rows[0]?.found ?? 0;
  return {
    rows: rows.map(({ found: _, ...row }) => row),
    isFull: found === maxRows || rows.length < found,
  };
}

export async function hasOutboxRows(db: Queryable): Promise<boolean> {
  const { rowCount } = await db.query('select from outbox limit 1');
  return rowCount !== 0;
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
