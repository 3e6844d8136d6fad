import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { PaymentMethod } from '../payment/payment-provider.ts';

interface PaymentMethodRow {
  readonly customerId: string;
  readonly methodId: string;
  readonly type: string;
  readonly last4: string;
  readonly brand: string;
  readonly expiresMonth: number;
  readonly expiresYear: number;
}

export async function readPaymentMethod(
  db: Queryable,
  accountId: string,
): Promise<PaymentMethod | undefined> {
  const { rows } = await db.query<PaymentMethodRow>(
    `select provider_customer_id as "customerId", provider_method_id as "methodId", type, last4, brand,
       expires_month as "expiresMonth", expires_year as "expiresYear"
     from payment_methods where account_id = $1`,
    [accountId],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { customerId, methodId, ...card } = row;
  return { customerId, methodId, card };
}

export async function putPaymentMethod(
  db: Queryable,
  accountId: string,
  { customerId, methodId, card }: PaymentMethod,
): Promise<void> {
  await db.query(
    `insert into payment_methods (account_id, provider_customer_id, provider_method_id, type, last4, brand,
       expires_month, expires_year)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (account_id) do update
     set provider_customer_id = excluded.provider_customer_id, provider_method_id = excluded.provider_method_id,
       type = excluded.type, last4 = excluded.last4, brand = excluded.brand,
       expires_month = excluded.expires_month, expires_year = excluded.expires_year`,
    [accountId, customerId, methodId, card.type, card.last4, card.brand, card.expiresMonth, card.expiresYear],
  );
}

export async function deletePaymentMethod(db: Queryable, accountId: string): Promise<void> {
  await db.query('delete from payment_methods where account_id = $1', [accountId]);
}

/** What a provider event refers to. */
export type ProviderReference = { readonly methodId: string } | { readonly customerId: string };

export async function listAccountsWith(db: Queryable, reference: ProviderReference): Promise<string[]> {
  const { column, value } = columnOf(reference);
  const { rows } = await db.query<{ accountId: string }>(
    `select account_id as "accountId" from payment_methods where ${column} = $1`,
    [value],
  );
  return rows.map((row) => row.accountId);
}

export async function deletePaymentMethodsWhere(
  db: Queryable,
  accountId: string,
  reference: ProviderReference,
): Promise<void> {
  const { column, value } = columnOf(reference);
  await db.query(`delete from payment_methods where account_id = $1 and ${column} = $2`, [accountId, value]);
}

function columnOf(reference: ProviderReference) {
  return 'methodId' in reference
    ? { column: 'provider_method_id', value: reference.methodId }
    : { column: 'provider_customer_id', value: reference.customerId };
}
