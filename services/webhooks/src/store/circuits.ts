import type { Queryable } from '@audiosplit/chassis/postgres/pool';

/** Timeouts in a row after which a circuit opens. */
export const TIMEOUTS_UNTIL_OPEN = 3;
/** How long the account's deliveries to the host wait. Then one of them tries the host. */
export const OPEN_MS = 60_000;

/** The number of consecutive attempts of the account that have timed out at the host. */
export async function countTimeout(
  db: Queryable,
  accountId: string,
  host: string,
  now: Date,
): Promise<number> {
  const { rows } = await db.query<{ timeouts: number }>(
    `insert into circuits (account_id, host, timeouts, timed_out_at) values ($1, $2, 1, $3)
     on conflict (account_id, host) do update set timeouts = circuits.timeouts + 1, timed_out_at = $3
     returning timeouts`,
    [accountId, host, now],
  );
  return rows[0]?.timeouts ?? 0;
}

/** The host has responded. */
export async function closeCircuit(db: Queryable, accountId: string, host: string): Promise<void> {
  await db.query('delete from circuits where account_id = $1 and host = $2', [accountId, host]);
}

export async function countOpenCircuits(db: Queryable, now: Date): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    'select count(*) as count from circuits where timed_out_at > $1 and timeouts >= $2',
    [new Date(now.getTime() - OPEN_MS), TIMEOUTS_UNTIL_OPEN],
  );
  return rows[0]?.count ?? 0;
}

/** Circuits of hosts that have not been tried since. */
export async function deleteCircuitsBefore(db: Queryable, before: Date): Promise<void> {
  await db.query('delete from circuits where timed_out_at <= $1', [before]);
}

export async function deleteCircuitsOf(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from circuits where account_id = $1', [accountId]);
}
