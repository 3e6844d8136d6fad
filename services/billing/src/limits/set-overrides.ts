import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { AccountLimits } from '@audiosplit/proto/events/v1/events';
import { accountTime, effectivePlan } from '../account-state.ts';
import { advanceAccount } from '../advance-account.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { type BillingAccount, lockAccount, updateOverrides } from '../store/accounts.ts';
import { readPendingCharge } from '../store/charges.ts';
import { readRunningSubscription } from '../store/subscriptions.ts';
import type { Subscription } from '../subscription/subscription.ts';
import { endTerms, readPeriodUsage } from '../usage/period-usage.ts';
import { watchUsage } from '../usage/watch-usage.ts';
import { announceLimits } from './limits-change.ts';
import { checkOverrides, type Overrides } from './overrides.ts';

/**
 * Replaces all overrides of the account and publishes its new limits. A price applies from the next charge on; included
 * minutes and the overage price apply to usage metered from now on.
 *
 * Throws InvalidParamsError, UnavailableError.
 */
export async function setOverrides(
  dependencies: BillingDependencies,
  accountId: string,
  overrides: Overrides,
): Promise<AccountLimits> {
  checkOverrides(overrides, dependencies.provider.minimumChargeCents);
  return (await rewrite(dependencies, accountId, () => overrides)).limits;
}

/**
 * Like setOverrides, but only for the named figures. The others keep their value, even if changed
 * concurrently.
 */
export async function changeOverrides(
  dependencies: BillingDependencies,
  accountId: string,
  changes: Partial<Overrides>,
): Promise<Overrides> {
  const { minimumChargeCents } = dependencies.provider;
  const rewritten = await rewrite(dependencies, accountId, (current) => {
    const overrides = { ...current, ...changes };
    checkOverrides(overrides, minimumChargeCents);
    return overrides;
  });
  return rewritten.overrides;
}

async function rewrite(
  dependencies: BillingDependencies,
  accountId: string,
  toOverrides: (current: Overrides) => Overrides,
): Promise<{ readonly overrides: Overrides; readonly limits: AccountLimits }> {
  const { pool, clock, wakeRelay } = dependencies;
  for (;;) {
    await advanceAccount(dependencies, accountId);
    const rewritten = await withTransaction(pool, async (client) => {
      const account = await lockAccount(client, accountId);
      // A pending upgrade applies the terms of its request, so it is settled first.
      if ((await readPendingCharge(client, accountId)) !== undefined) return undefined;
      const realTime = clock();
      const subscription = await readRunningSubscription(client, accountId);
      // A period that has ended is billed by the overrides that applied while it ran.
      if (subscription !== undefined && hasPeriodEnded(subscription, account, realTime)) return undefined;
      const overrides = toOverrides(account.overrides);
      if (subscription !== undefined) {
        const current = effectivePlan(account, subscription);
        const usage = await readPeriodUsage(client, subscription, current);
        await endTerms(client, subscription, usage, accountTime(account, realTime));
      }
      await updateOverrides(client, accountId, overrides);
      const plan = effectivePlan({ overrides }, subscription);
      const limits = await announceLimits(client, accountId, plan, realTime);
      await watchUsage(client, accountId, realTime);
      return { overrides, limits };
    });
    if (rewritten === undefined) continue;
    wakeRelay();
    return rewritten;
  }
}

function hasPeriodEnded(
  { currentPeriodEnd }: Subscription,
  account: BillingAccount,
  realTime: Date,
): boolean {
  return currentPeriodEnd <= accountTime(account, realTime);
}
