import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { BillingAccount } from './store/accounts.ts';

/** A transaction that holds the lock of the account's row. */
export interface LockedAccount {
  readonly db: Queryable;
  readonly account: BillingAccount;
  /** When the change is made; not on the account's clock. */
  readonly realTime: Date;
}
