import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export async function insertCustomerRemoval(
  db: Queryable,
  customerId: string,
  removedAt: Date,
): Promise<void> {
  await db.query(
    'insert into customer_removals (provider_customer_id, removed_at) values ($1, $2) on conflict do nothing',
    [customerId, removedAt],
  );
}

/** Sorted by id, after `after`. */
export async function listCustomerRemovals(db: Queryable, after: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ customerId: string }>(
    `select provider_customer_id as "customerId" from customer_removals
     where provider_customer_id > $1 order by provider_customer_id limit $2`,
    [after, limit],
  );
  return rows.map((row) => row.customerId);
}

export async function deleteCustomerRemoval(db: Queryable, customerId: string): Promise<void> {
  await db.query('delete from customer_removals where provider_customer_id = $1', [customerId]);
}
