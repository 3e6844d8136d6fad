/**
 * The price of moving to a plan. The change and its preview both use it, so that the price shown is the price
 * charged.
 */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { effectivePlan } from '../account-state.ts';
import { PlanUnchangedError } from '../errors.ts';
import type { PaymentProvider } from '../payment/payment-provider.ts';
import type { BillingAccount } from '../store/accounts.ts';
import type { Subscription } from '../subscription/subscription.ts';
import { prorationCents } from './money.ts';
import { PLANS, type Plan, planOf } from './plans.ts';

export type PlanChangeTerms =
  /** Immediately. Charges the rest of the period and the overage so far. */
  | { readonly kind: 'upgrade'; readonly amountCents: number; readonly prorationCents: number }
  /** From the next period on. */
  | { readonly kind: 'downgrade' }
  /** To the current plan: cancels a scheduled change. */
  | { readonly kind: 'resume' };

type Minimum = Pick<PaymentProvider, 'minimumChargeCents'>;

/** For the first period of a subscription. */
export function firstChargeCents(
  account: Pick<BillingAccount, 'overrides'>,
  { id }: Plan,
  minimum: Minimum,
): number {
  return chargeable(effectivePlan(account, { planId: id }).pricePerMonthCents, minimum);
}

/** Throws PlanUnchangedError. */
export function planChangeTerms(
  standing: {
    readonly account: Pick<BillingAccount, 'overrides'>;
    readonly subscription: Subscription;
    /** Overage of the current period that no charge has billed yet. */
    readonly unbilledCents: number;
    readonly now: Date;
  },
  plan: Plan,
  minimum: Minimum,
): PlanChangeTerms {
  const { account, subscription, unbilledCents, now } = standing;
  const current = planOf(subscription.planId);
  if (plan.pricePerMonthCents > current.pricePerMonthCents) {
    const prices = {
      oldCents: effectivePlan(account, subscription).pricePerMonthCents,
      newCents: effectivePlan(account, { planId: plan.id }).pricePerMonthCents,
    };
    const period = { start: subscription.currentPeriodStart, end: subscription.currentPeriodEnd };
    const proration = prorationCents(prices, period, now);
    const amountCents = chargeable(proration + unbilledCents, minimum);
    // An amount below the minimum is not owed. Its overage is billed at the end of the period.
    return { kind: 'upgrade', amountCents, prorationCents: amountCents === 0 ? 0 : proration };
  }
  if (plan.id !== current.id) return { kind: 'downgrade' };
  const isScheduled = subscription.scheduledPlanId !== undefined || subscription.cancelAtPeriodEnd;
  if (!isScheduled) throw new PlanUnchangedError();
  return { kind: 'resume' };
}

export function describeUpgrade(plan: Plan, from: Plan): string {
  return `The rest of this period on ${plan.name} instead of ${from.name}`;
}

/** Throws InvalidParamsError if the id is not that of a paid plan. */
export function paidPlan(planId: string): Plan {
  const plan = PLANS.find((candidate) => candidate.id === planId && candidate.pricePerMonthCents > 0);
  if (plan !== undefined) return plan;
  const ids = PLANS.filter(({ pricePerMonthCents }) => pricePerMonthCents > 0).map(({ id }) => id);
  throw new InvalidParamsError('planId', `give one of ${ids.join(', ')}.`);
}

/** 0 if below the provider's minimum: little time may be left, or the account pays the same on every plan. */
function chargeable(amountCents: number, { minimumChargeCents }: Minimum): number {
  return amountCents >= minimumChargeCents ? amountCents : 0;
}
