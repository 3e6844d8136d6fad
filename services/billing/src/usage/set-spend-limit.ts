import { InvalidParamsError } from '@audiosplit/chassis/errors';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { type AccountState, effectivePlan, readAccountState } from '../account-state.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { NoActiveSubscriptionError } from '../errors.ts';
import { announceLimits } from '../limits/limits-change.ts';
import { updateSpendLimit } from '../store/accounts.ts';
import { decide } from '../subscription/decide.ts';
import { sumOverage } from './overage.ts';
import { overageOf, readPeriodUsage } from './period-usage.ts';
import { spendLimitCents } from './spend-limit.ts';
import { watchUsage } from './watch-usage.ts';

export interface SpendLimit {
  /** Undefined: no limit. */
  readonly limitCents: number | undefined;
  readonly currency: string;
  /** Overage of the current period so far, billed or not. */
  readonly spentCents: number;
}

const MAX_CENTS = 99_999_999;

/** Throws NoActiveSubscriptionError. */
export async function readSpendLimit(db: Queryable, accountId: string): Promise<SpendLimit> {
  return spendLimitOf(db, await readAccountState(db, accountId));
}

/**
 * Undefined: no limit. It applies from now on, on every plan of the account.
 *
 * Throws NoActiveSubscriptionError, InvalidParamsError.
 */
export async function setSpendLimit(
  dependencies: BillingDependencies,
  accountId: string,
  cents: number | undefined,
): Promise<SpendLimit> {
  if (cents !== undefined && !(Number.isSafeInteger(cents) && cents >= 0 && cents <= MAX_CENTS)) {
    throw new InvalidParamsError('amount', `give a whole number from 0 to ${MAX_CENTS}, or null.`);
  }
  const decision = await decide<SpendLimit>(
    dependencies,
    accountId,
    async ({ db, realTime, account, subscription }) => {
      if (subscription === undefined) throw new NoActiveSubscriptionError();
      await updateSpendLimit(db, accountId, cents);
      await watchUsage(db, accountId, realTime);
      // Other services name it in messages.
      await announceLimits(db, accountId, effectivePlan(account, subscription), realTime);
      return { kind: 'done', result: await readSpendLimit(db, accountId) };
    },
  );
  if (decision.kind === 'charge') throw new Error('a spend limit must not create a charge');
  return decision.result;
}

async function spendLimitOf(db: Queryable, { account, subscription, plan }: AccountState) {
  if (subscription === undefined) throw new NoActiveSubscriptionError();
  const usage = await readPeriodUsage(db, subscription, plan);
  return {
    limitCents: spendLimitCents(account, subscription, plan),
    currency: plan.currency,
    spentCents: sumOverage(overageOf(usage)).cents,
  };
}
