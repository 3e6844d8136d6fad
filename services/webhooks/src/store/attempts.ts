import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Attempt } from '../delivery.ts';

/** Replays could grow a delivery's log without end: the oldest attempts beyond this are dropped. */
const MAX_KEPT_PER_DELIVERY = 50;

export async function insertAttempt(db: Queryable, deliveryId: string, attempt: Attempt): Promise<void> {
  await db.query('insert into attempts (delivery_id, at, status_code, error) values ($1, $2, $3, $4)', [
    deliveryId,
    attempt.at,
    attempt.statusCode ?? null,
    attempt.error ?? null,
  ]);
  await db.query(
    `delete from attempts where delivery_id = $1 and number <= (
       select number from attempts where delivery_id = $1 order by number desc offset $2 limit 1)`,
    [deliveryId, MAX_KEPT_PER_DELIVERY],
  );
}

interface AttemptRow {
  delivery_id: string;
  at: Date;
  status_code: number | null;
  error: string | null;
}

/** Oldest first, by delivery; a delivery without attempts has no entry. */
export async function listAttempts(
  db: Queryable,
  deliveryIds: readonly string[],
): Promise<ReadonlyMap<string, readonly Attempt[]>> {
  const { rows } = await db.query<AttemptRow>(
    'select delivery_id, at, status_code, error from attempts where delivery_id = any($1::text[]) order by number',
    [deliveryIds],
  );
  const grouped = Map.groupBy(rows, (row) => row.delivery_id);
  return new Map([...grouped].map(([id, attempts]) => [id, attempts.map(fromRow)]));
}

function fromRow(row: AttemptRow): Attempt {
  return { at: row.at, statusCode: row.status_code ?? undefined, error: row.error ?? undefined };
}
