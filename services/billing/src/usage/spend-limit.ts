/** The maximum overage that an account allows in a period. Pure. */
import { ownPlanOf } from '../account-state.ts';
import type { Plan } from '../plans/plans.ts';
import type { OwnSpendLimit } from '../store/accounts.ts';
import type { Subscription } from '../subscription/subscription.ts';
import { coveredMinutes, isUnbilled } from './overage.ts';
import { overageOf, type PeriodUsage } from './period-usage.ts';
import { remainingMs } from './usage.ts';

const DEFAULT_PLAN_PRICES = 10;

/**
 * Undefined: no limit. If an operator sets a price of 0, the plan's own price is used, so that the default is
 * above 0.
 */
export function spendLimitCents(
  { ownSpendLimit }: { readonly ownSpendLimit: OwnSpendLimit | undefined },
  subscription: Pick<Subscription, 'planId'>,
  plan: Plan,
): number | undefined {
  if (ownSpendLimit !== undefined) return ownSpendLimit.cents;
  return DEFAULT_PLAN_PRICES * (plan.pricePerMonthCents || ownPlanOf(subscription).pricePerMonthCents);
}

interface Spendable {
  /** Remaining time until a minute would exceed the limit, including the rest of a started minute. */
  readonly ms: number;
  /** No further minute fits. */
  readonly isReached: boolean;
}

/** Undefined: no limit, or minutes that cost nothing. `plan` is the current one, with overrides applied. */
export function spendableUnder(
  limitCents: number | undefined,
  usage: PeriodUsage,
  plan: Plan,
): Spendable | undefined {
  const { earlier, running, totals } = usage;
  const rate = running.millicentsPerMinute;
  if (limitCents === undefined || rate === 0) return undefined;
  let [othersCents, minutes] = [0, 0];
  for (const priced of overageOf(usage)) {
    const isRunning =
      isUnbilled(priced) &&
      priced.includedMinutes === running.includedMinutes &&
      priced.millicentsPerMinute === rate;
    if (isRunning) minutes += priced.minutes;
    else othersCents += priced.cents;
  }
  const more = Math.max(0, mostMinutes(limitCents - othersCents, rate) - minutes);
  const covered = Math.max(running.meteredMinutes, coveredMinutes(earlier, plan.monthlyMinutes));
  return {
    ms: remainingMs(covered + more, totals.sourceDurationMs),
    isReached: covered + more <= running.meteredMinutes,
  };
}

/** The maximum of minutes whose price, rounded half up, does not exceed `cents`. */
function mostMinutes(cents: number, millicentsPerMinute: number): number {
  return cents < 0 ? 0 : Math.ceil((cents * 1_000 + 500) / millicentsPerMinute) - 1;
}
