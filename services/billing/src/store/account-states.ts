/** An account and its running subscription at one moment. */
import { onlyRow, type Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Subscription } from '../subscription/subscription.ts';
import { ACCOUNT_COLUMNS, type AccountRow, type BillingAccount, fromAccountRow } from './accounts.ts';
import { fromSubscriptionRow, SUBSCRIPTION_COLUMNS, type SubscriptionRow } from './subscriptions.ts';

type Missing<Row> = { readonly [Column in keyof Row]: null };

const READ = `select account.*, subscription.*
  from (values (1)) as one_row_at_least
  left join (select ${ACCOUNT_COLUMNS} from accounts where account_id = $1) account on true
  left join (
    select ${SUBSCRIPTION_COLUMNS} from subscriptions where account_id = $1 and ended_at is null
  ) subscription on true`;

export async function readAccountAndSubscription(
  db: Queryable,
  accountId: string,
): Promise<{ readonly account: BillingAccount; readonly subscription: Subscription | undefined }> {
  const row = onlyRow(
    await db.query<
      (AccountRow | Missing<Pick<AccountRow, 'revision'>>) &
        (SubscriptionRow | Missing<Pick<SubscriptionRow, 'id'>>)
    >(READ, [accountId]),
  );
  return {
    account: fromAccountRow(accountId, row.revision === null ? undefined : row),
    subscription: row.id === null ? undefined : fromSubscriptionRow(row),
  };
}
