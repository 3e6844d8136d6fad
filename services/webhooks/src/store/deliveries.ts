import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import { traceHeaders } from '@audiosplit/chassis/trace';
import type { Attempt, Delivery, DeliveryStatus, Notification } from '../delivery/delivery.ts';
import { hostOf } from '../delivery/target.ts';

interface DeliveryRow {
  id: string;
  type: string;
  url: string;
  status: DeliveryStatus;
  next_attempt_at: Date | null;
  created_at: Date;
  attempts: readonly AttemptJson[];
}

interface AttemptJson {
  at: string;
  status_code: number | null;
  error: string | null;
}

// Reads the attempts in the same statement, and so in the same snapshot, so that they are consistent with the
// status.
const COLUMNS = `id, type, url, status, next_attempt_at, created_at, (
  select coalesce(json_agg(json_build_object('at', at, 'status_code', status_code, 'error', error) order by number), '[]')
  from attempts where delivery_id = deliveries.id) as attempts`;

function fromRow(row: DeliveryRow): Delivery {
  return {
    id: row.id,
    type: row.type,
    url: row.url,
    status: row.status,
    nextAttemptAt: row.next_attempt_at ?? undefined,
    createdAt: row.created_at,
    attempts: row.attempts.map(fromJson),
  };
}

function fromJson(attempt: AttemptJson): Attempt {
  return {
    at: new Date(attempt.at),
    statusCode: attempt.status_code ?? undefined,
    error: attempt.error ?? undefined,
  };
}

interface NewDelivery extends Notification {
  readonly id: string;
  readonly url: string;
  readonly now: Date;
}

/** Due at once. The running trace is stored with it. */
export async function insertDelivery(
  db: Queryable,
  accountId: string,
  { id, subject, type, url, body, now }: NewDelivery,
): Promise<Delivery> {
  const result = await db.query<DeliveryRow>(
    `insert into deliveries (id, account_id, subject, type, url, host, body, created_at, next_attempt_at, trace)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $8, $9)
     returning ${COLUMNS}`,
    [id, accountId, subject, type, url, hostOf(url), body, now, JSON.stringify(traceHeaders())],
  );
  return fromRow(onlyRow(result));
}

/** Up to `limit`. */
export async function countPending(db: Queryable, accountId: string, limit: number): Promise<number> {
  const { rows } = await db.query<{ pending: number }>(
    `select count(*)::int as pending from (
       select from deliveries where account_id = $1 and status = 'pending' limit $2) as counted`,
    [accountId, limit],
  );
  return onlyRow({ rows }).pending;
}

interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  readonly total: number;
}

/** Newest first. Retention bounds the number counted. */
export async function listDeliveries(
  db: Queryable,
  accountId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<DeliveryPage> {
  const { rows } = await db.query<DeliveryRow>(
    `select ${COLUMNS} from deliveries where account_id = $1 order by number desc limit $2 offset $3`,
    [accountId, limit, offset],
  );
  const counted = await db.query<{ total: number }>(
    'select count(*) as total from deliveries where account_id = $1',
    [accountId],
  );
  return { deliveries: rows.map(fromRow), total: counted.rows[0]?.total ?? 0 };
}

/** By delivery id. */
export async function readBodies(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ readonly id: string; readonly body: string }>(
    'select id, body from deliveries where id = any($1)',
    [ids],
  );
  return new Map(rows.map(({ id, body }) => [id, body]));
}

interface WalkedDelivery {
  readonly delivery: Delivery;
  readonly body: string;
  /** Later deliveries have higher numbers. */
  readonly number: number;
}

/** Oldest first. */
export async function listDeliveriesAfter(
  db: Queryable,
  accountId: string,
  { afterNumber, limit }: { readonly afterNumber: number; readonly limit: number },
): Promise<WalkedDelivery[]> {
  const { rows } = await db.query<DeliveryRow & { body: string; number: number }>(
    `select ${COLUMNS}, body, number from deliveries where account_id = $1 and number > $2 order by number limit $3`,
    [accountId, afterNumber, limit],
  );
  return rows.map((row) => ({ delivery: fromRow(row), body: row.body, number: row.number }));
}

/** Begins a new series of attempts, due at once; an attempt in flight no longer changes the state. */
export async function restartDelivery(
  db: Queryable,
  accountId: string,
  { id, now }: { readonly id: string; readonly now: Date },
): Promise<Delivery | undefined> {
  const { rows } = await db.query<DeliveryRow>(
    `update deliveries
     set status = 'pending', tries = 0, next_attempt_at = $3, attempt_until = null, fence = fence + 1
     where id = $1 and account_id = $2
     returning ${COLUMNS}`,
    [id, accountId, now],
  );
  return rows[0] && fromRow(rows[0]);
}

/** Returns the number deleted, at most `limit`. Deliveries that still have attempts to come stay. */
export async function deleteSettledBefore(db: Queryable, before: Date, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    `delete from deliveries where number in (
       select number from deliveries where status <> 'pending' and created_at < $1 order by created_at limit $2)`,
    [before, limit],
  );
  return rowCount ?? 0;
}

/** Returns the number deleted, at most `limit`. */
export async function deleteDeliveriesOf(db: Queryable, accountId: string, limit: number): Promise<number> {
  const { rowCount } = await db.query(
    'delete from deliveries where number in (select number from deliveries where account_id = $1 limit $2)',
    [accountId, limit],
  );
  return rowCount ?? 0;
}
