/** An account and its running subscription at one moment. */
import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Subscription } from '../subscription/subscription.ts';
import { ACCOUNT_COLUMNS, type AccountRow, type BillingAccount, fromAccountRow } from './accounts.ts';
import { fromSubscriptionRow, SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscriptions.ts';

/** A row of ACCOUNT_STATE. */
export type AccountStateRow = (AccountRow | Missing<Pick<AccountRow, 'revision'>>) &
  (SubscriptionRow | Missing<Pick<SubscriptionRow, 'id'>>);

type Missing<Row> = { readonly [Column in keyof Row]: null };

/** A query for account $1 and its running subscription: a single row, whether or not they exist. */
export const ACCOUNT_STATE = `select account.*, subscription.*
  from (values (1)) as one_row_at_least
  left join (select ${ACCOUNT_COLUMNS} from accounts where account_id = $1) account on true
  left join (
    select ${SUBSCRIPTION_COLUMNS} from subscriptions where account_id = $1 and ended_at is null
  ) subscription on true`;

export interface AccountAndSubscription {
  readonly account: BillingAccount;
  readonly subscription: Subscription | undefined;
}

export async function readAccountAndSubscription(
  db: Queryable,
  accountId: string,
): Promise<AccountAndSubscription> {
  return fromAccountStateRow(accountId, onlyRow(await db.query<AccountStateRow>(ACCOUNT_STATE, [accountId])));
}

export function fromAccountStateRow(accountId: string, row: AccountStateRow): AccountAndSubscription {
  return {
    account: fromAccountRow(accountId, row.revision === null ? undefined : row),
    subscription: row.id === null ? undefined : fromSubscriptionRow(row),
  };
}
