import type { Queryable } from '@audiosplit/chassis/postgres/pool';

/** False while another waveform of the account is being drawn. */
export async function beginDrawing(db: Queryable, accountId: string, maxMs: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update account_queues set drawing_until = now() + $2 * interval '1 millisecond'
     where account_id = $1 and (drawing_until is null or drawing_until <= now())`,
    [accountId, maxMs],
  );
  return rowCount === 1;
}

export async function endDrawing(db: Queryable, accountId: string): Promise<void> {
  await db.query('update account_queues set drawing_until = null where account_id = $1', [accountId]);
}
