/** An account's subscription, effective plan and billing clock. Read without locks. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { withOverrides } from './limits/overrides.ts';
import { FREE_PLAN, type Plan, planOf } from './plans/plans.ts';
import { readAccountAndSubscription } from './store/account-states.ts';
import type { BillingAccount } from './store/accounts.ts';
import type { Subscription } from './subscription/subscription.ts';

export interface AccountState {
  readonly account: BillingAccount;
  readonly subscription: Subscription | undefined;
  /** With the operator's overrides applied. */
  readonly plan: Plan;
}

export async function readAccountState(db: Queryable, accountId: string): Promise<AccountState> {
  const { account, subscription } = await readAccountAndSubscription(db, accountId);
  return { account, subscription, plan: effectivePlan(account, subscription) };
}

export function effectivePlan(
  account: Pick<BillingAccount, 'overrides'>,
  subscription: Pick<Subscription, 'planId'> | undefined,
): Plan {
  return withOverrides(ownPlanOf(subscription), account.overrides);
}

/** The plan without overrides. */
export function ownPlanOf(subscription: Pick<Subscription, 'planId'> | undefined): Plan {
  return subscription === undefined ? FREE_PLAN : planOf(subscription.planId);
}

/** The time on an account's billing clock. */
export function accountTime(account: Pick<BillingAccount, 'clockOffsetMs'>, realTime: Date): Date {
  return new Date(realTime.getTime() + account.clockOffsetMs);
}
