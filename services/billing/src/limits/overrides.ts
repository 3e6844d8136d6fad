/**
 * Limits: what an account may use. An operator's overrides replace figures of its plan, and every change is published
 * to the other services.
 */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { FIGURES, type Figure } from '@audiosplit/proto/vocabulary';
import { FREE_PLAN, type Plan } from '../plans/plans.ts';

/** The plan's figure applies where a figure is undefined. */
export type Overrides = { readonly [F in Figure]: number | undefined };

/**
 * A figure that would make an account unusable is rejected. Zero included minutes, or a price of 0, is
 * allowed.
 */
const MIN_FIGURES: Readonly<Record<Figure, number>> = {
  requestsPerMinute: 1,
  concurrentJobs: 1,
  monthlyMinutes: 0,
  maxFileSizeBytes: 1,
  pricePerMonthCents: 0,
  overageMillicentsPerMinute: 0,
};
/** The largest amount of a card charge at Stripe, eight digits: https://docs.stripe.com/currencies */
const MAX_CENTS = 99_999_999;

/** `minimumChargeCents` is the payment provider's minimum. Throws InvalidParamsError. */
export function checkOverrides(overrides: Overrides, minimumChargeCents: number): void {
  for (const figure of FIGURES) {
    const value = overrides[figure];
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= MIN_FIGURES[figure])) {
      throw new InvalidParamsError(figure, `give a whole number, at least ${MIN_FIGURES[figure]}.`);
    }
  }
  const { pricePerMonthCents: price = 0, overageMillicentsPerMinute: overage = 0 } = overrides;
  if (price > MAX_CENTS || (price > 0 && price < minimumChargeCents)) {
    const allowed = `give 0, or from ${minimumChargeCents} to ${MAX_CENTS}.`;
    throw new InvalidParamsError('pricePerMonthCents', allowed);
  }
  if (overage > MAX_CENTS) {
    throw new InvalidParamsError('overageMillicentsPerMinute', `give at most ${MAX_CENTS}.`);
  }
}

export function withOverrides(plan: Plan, overrides: Overrides): Plan {
  const isPaid = plan.id !== FREE_PLAN.id;
  return {
    ...plan,
    requestsPerMinute: overrides.requestsPerMinute ?? plan.requestsPerMinute,
    concurrentJobs: overrides.concurrentJobs ?? plan.concurrentJobs,
    monthlyMinutes: overrides.monthlyMinutes ?? plan.monthlyMinutes,
    maxFileSizeBytes: overrides.maxFileSizeBytes ?? plan.maxFileSizeBytes,
    ...(isPaid ? pricesOf(plan, overrides) : {}),
  };
}

function pricesOf(plan: Plan, overrides: Overrides) {
  return {
    pricePerMonthCents: overrides.pricePerMonthCents ?? plan.pricePerMonthCents,
    overageMillicentsPerMinute: overrides.overageMillicentsPerMinute ?? plan.overageMillicentsPerMinute,
  };
}
