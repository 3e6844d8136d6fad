import type { Queryable } from '@audiosplit/chassis/postgres/pool';

export interface PaymentMethodRemoval {
  readonly accountId: string;
  readonly methodId: string;
}

export async function insertRemoval(
  db: Queryable,
  { accountId, methodId }: PaymentMethodRemoval,
  removedAt: Date,
): Promise<void> {
  await db.query(
    `insert into payment_method_removals (account_id, provider_method_id, removed_at) values ($1, $2, $3)
     on conflict do nothing`,
    [accountId, methodId, removedAt],
  );
}

export async function isBeingRemoved(
  db: Queryable,
  { accountId, methodId }: PaymentMethodRemoval,
): Promise<boolean> {
  const { rowCount } = await db.query(
    'select from payment_method_removals where account_id = $1 and provider_method_id = $2',
    [accountId, methodId],
  );
  return rowCount === 1;
}

const COLUMNS = 'account_id as "accountId", provider_method_id as "methodId"';

export async function listRemovalsOf(db: Queryable, accountId: string): Promise<PaymentMethodRemoval[]> {
  const { rows } = await db.query<PaymentMethodRemoval>(
    `select ${COLUMNS} from payment_method_removals where account_id = $1`,
    [accountId],
  );
  return rows;
}

/** For all accounts, in key order, after `after`. */
export async function listRemovals(
  db: Queryable,
  after: PaymentMethodRemoval | undefined,
  limit: number,
): Promise<PaymentMethodRemoval[]> {
  const { rows } = await db.query<PaymentMethodRemoval>(
    `select ${COLUMNS} from payment_method_removals where (account_id, provider_method_id) > ($1, $2)
     order by account_id, provider_method_id limit $3`,
    [after?.accountId ?? '', after?.methodId ?? '', limit],
  );
  return rows;
}

export async function deleteRemoval(
  db: Queryable,
  { accountId, methodId }: PaymentMethodRemoval,
): Promise<void> {
  await db.query('delete from payment_method_removals where account_id = $1 and provider_method_id = $2', [
    accountId,
    methodId,
  ]);
}
