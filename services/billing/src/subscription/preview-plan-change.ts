import { UnavailableError } from '@audiosplit/chassis/errors';
import { accountTime, effectivePlan, readAccountState } from '../account-state.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { InvoiceUnpaidError } from '../errors.ts';
import {
  describeUpgrade,
  firstChargeCents,
  type PlanChangeTerms,
  paidPlan,
  planChangeTerms,
} from '../plans/plan-change.ts';
import type { Plan } from '../plans/plans.ts';
import { hasDebt } from '../store/invoices.ts';
import { sumOverage } from '../usage/overage.ts';
import { readPeriodUsage, unbilledOverage } from '../usage/period-usage.ts';
import { subscriptionPeriod } from './subscription-period.ts';

export interface PlanChangePreview {
  readonly kind: 'subscribe' | PlanChangeTerms['kind'];
  readonly amountDueCents: number;
  /** The part of it that is overage. */
  readonly overageDueCents: number;
  readonly currency: string;
  readonly description: string;
  /** On the account's clock, as is `nextChargeAt`. */
  readonly effectiveAt: Date;
  readonly pricePerMonthCents: number;
  readonly nextChargeAt: Date;
}

/**
 * The price of `subscribe` or `changePlan` now. Changes nothing. Throws UnavailableError between the end of a
 * period and its renewal, because the next period has other figures.
 *
 * Throws InvalidParamsError, PlanUnchangedError, InvoiceUnpaidError, UnavailableError.
 */
export async function previewPlanChange(
  { pool, provider, clock }: Pick<BillingDependencies, 'pool' | 'provider' | 'clock'>,
  accountId: string,
  planId: string,
): Promise<PlanChangePreview> {
  const plan = paidPlan(planId);
  const { account, subscription, plan: current } = await readAccountState(pool, accountId);
  const now = accountTime(account, clock());
  const { pricePerMonthCents, currency, name } = effectivePlan(account, { planId });
  const price = { pricePerMonthCents, currency };
  const requireNoDebt = async () => {
    if (await hasDebt(pool, accountId, now)) throw new InvoiceUnpaidError();
  };
  if (subscription === undefined) {
    await requireNoDebt();
    return {
      ...price,
      kind: 'subscribe',
      amountDueCents: firstChargeCents(account, plan, provider),
      overageDueCents: 0,
      description: `A month of ${name}`,
      effectiveAt: now,
      nextChargeAt: subscriptionPeriod(now, 0).end,
    };
  }
  const { currentPeriodEnd } = subscription;
  if (currentPeriodEnd <= now)
    throw new UnavailableError(new Error('the renewal of the subscription is pending'));
  const unbilled = unbilledOverage(await readPeriodUsage(pool, subscription, current));
  const standing = { account, subscription, unbilledCents: sumOverage(unbilled).cents, now };
  const terms = planChangeTerms(standing, plan, provider);
  if (terms.kind === 'upgrade') await requireNoDebt();
  const [amountDueCents, prorationDueCents] =
    terms.kind === 'upgrade' ? [terms.amountCents, terms.prorationCents] : [0, 0];
  return {
    ...price,
    kind: terms.kind,
    amountDueCents,
    overageDueCents: amountDueCents - prorationDueCents,
    description: describe(terms, plan, current),
    effectiveAt: terms.kind === 'downgrade' ? currentPeriodEnd : now,
    nextChargeAt: currentPeriodEnd,
  };
}

function describe({ kind }: PlanChangeTerms, plan: Plan, current: Plan): string {
  switch (kind) {
    case 'upgrade':
      return describeUpgrade(plan, current);
    case 'downgrade':
      return `${plan.name} instead of ${current.name} from the next period on`;
    case 'resume':
      return `${plan.name} goes on as before`;
    default:
      return kind satisfies never;
  }
}
