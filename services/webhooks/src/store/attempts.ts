import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Attempt } from '../delivery/delivery.ts';

/**
 * Replays could extend a delivery's log without limit, so the oldest attempts beyond this number are dropped.
 */
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
