import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export async function isKnownEvent(db: Queryable, eventId: string): Promise<boolean> {
  const { rowCount } = await db.query('select from provider_events where event_id = $1', [eventId]);
  return rowCount === 1;
}

export async function insertKnownEvent(db: Queryable, eventId: string, receivedAt: Date): Promise<void> {
  await db.query(
    'insert into provider_events (event_id, received_at) values ($1, $2) on conflict do nothing',
    [eventId, receivedAt],
  );
}

export async function forgetKnownEvents(db: Queryable, receivedBefore: Date): Promise<void> {
  await db.query('delete from provider_events where received_at <= $1', [receivedBefore]);
}
