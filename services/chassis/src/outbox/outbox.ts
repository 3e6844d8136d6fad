/**
 * The transactional outbox: an event is a row inserted by the transaction of the change it reports.
 *
 * The relay publishes rows in the order of their ids and deletes them once the bus has acknowledged them. It
 * may publish a row twice (a crash between acknowledgement and delete), but never loses one. Rows of one key
 * keep their order because writers of one key serialise on the row of their job or account.
 *
 * If the bus lies in the same database, transactions publish their rows themselves as they commit, and the
 * relay finds only rows of other releases (postgres/publishing-pools.ts).
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
 * Half of a Kafka broker's default maximum, headers included. A larger event could never be published and
 * would block all later ones, so it is refused while its transaction can still fail.
 */
export const MAX_EVENT_BYTES = 512 * 1024;

/**
 * Call it inside a transaction. The headers carry the running trace. Call the relay's `wake` after the
 * commit. Throws RangeError for an event of more than MAX_EVENT_BYTES, before anything is sent.
 */
export function appendToOutbox(db: Queryable, messages: readonly OutboxMessage[]): Promise<unknown> {
  for (const message of messages) requirePublishable(message);
  if (messages.length === 0) return Promise.resolve();
  return db.query(
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
 * Topic, key, value and headers, for statements that insert an event together with its change. Throws
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

/** The headers, as JSON, of a message that is inserted into the outbox now. */
function headersOf(db: Queryable, topic: string): string {
  // The relay gives other messages their span when it publishes them.
  return JSON.stringify(publishesAtCommit(db) ? sentHeaders(topic) : traceHeaders());
}

interface OutboxRow extends OutgoingMessage {
  readonly id: number;
}

interface OutboxBatch {
  readonly rows: readonly OutboxRow[];
  /** Whether a bound has ended the batch, so there may be more rows. */
  readonly isFull: boolean;
}

/**
 * The oldest rows: at most `maxRows`, with values of at most `maxBytes` in total unless the first one alone
 * is larger.
 */
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

/** Call it inside the transaction that handles an event: true the first time, false for a redelivery. */
export async function consumeOnce(db: Queryable, consumer: string, eventId: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into consumed_events (consumer, event_id) values ($1, $2) on conflict do nothing',
    [consumer, eventId],
  );
  return rowCount === 1;
}

/**
 * Redeliveries arrive within minutes; a week far exceeds the retention of unread messages on every bus used
 * here.
 */
export async function pruneConsumedEvents(db: Queryable): Promise<void> {
  await db.query("delete from consumed_events where consumed_at < now() - interval '8 days'");
}
