/** The end of a period: one invoice bills its overage and the next period's fee. */
import { effectivePlan } from '../account-state.ts';
import type { Invoice, InvoiceLine } from '../invoices/invoice.ts';
import { issueInvoice, overageLines, planLine } from '../invoices/invoicing.ts';
import { announceLimits } from '../limits/limits-change.ts';
import type { LockedAccount } from '../locked-account.ts';
import { closeUsageUntil } from '../store/accounts.ts';
import { insertEndedPeriod, updateSubscription } from '../store/subscriptions.ts';
import { cutUsage } from '../store/usage.ts';
import { sumOverage } from '../usage/overage.ts';
import { endStretch, overageOf, readPeriodUsage, unbilledOverage } from '../usage/period-usage.ts';
import { watchUsage } from '../usage/watch-usage.ts';
import type { Subscription, SubscriptionStatus } from './subscription.ts';
import { subscriptionPeriod } from './subscription-period.ts';

/** Starts the next period, or ends the subscription if it was canceled. */
export async function renew(locked: LockedAccount, subscription: Subscription): Promise<void> {
  const { db, account, realTime } = locked;
  const endedAt = subscription.currentPeriodEnd;
  if (subscription.cancelAtPeriodEnd) {
    await endSubscription(locked, subscription, { endedAt, status: 'canceled' });
    return;
  }
  const overage = await closePeriod(locked, subscription, endedAt);
  const periodNumber = subscription.periodNumber + 1;
  const period = subscriptionPeriod(subscription.anchorAt, periodNumber);
  await cutUsage(db, account.accountId, period.end);
  const planId = subscription.scheduledPlanId ?? subscription.planId;
  const plan = effectivePlan(account, { planId });
  await updateSubscription(db, {
    ...subscription,
    planId,
    scheduledPlanId: undefined,
    periodNumber,
    currentPeriodStart: period.start,
    currentPeriodEnd: period.end,
    baseCents: plan.pricePerMonthCents,
  });
  await issueInvoice(db, subscription, {
    lines: [planLine(plan.name, period, plan.pricePerMonthCents), ...overage],
    currency: plan.currency,
    period,
    issuedAt: endedAt,
    payment: 'open',
  });
  if (planId !== subscription.planId) await announceLimits(db, account.accountId, plan, realTime);
  await watchUsage(db, account.accountId, realTime);
}

interface SubscriptionEnd {
  /** The account is on the Free plan from then on. */
  readonly endedAt: Date;
  /** Overage is billed if `canceled`, and written off if `unpaid`. */
  readonly status: Extract<SubscriptionStatus, 'canceled' | 'unpaid'>;
}

export async function endSubscription(
  locked: LockedAccount,
  subscription: Subscription,
  { endedAt, status }: SubscriptionEnd,
): Promise<{ readonly ended: Subscription; readonly invoice: Invoice | undefined }> {
  const { db, account, realTime } = locked;
  const overage = await closePeriod(locked, subscription, endedAt);
  const ended: Subscription = {
    ...subscription,
    status,
    scheduledPlanId: undefined,
    cancelAtPeriodEnd: false,
    currentPeriodEnd: endedAt,
    endedAt,
  };
  await updateSubscription(db, ended);
  const plan = effectivePlan(account, subscription);
  const invoice =
    status === 'unpaid'
      ? undefined
      : await issueInvoice(db, subscription, {
          lines: overage,
          currency: plan.currency,
          period: { start: subscription.currentPeriodStart, end: endedAt },
          issuedAt: endedAt,
          payment: 'open',
        });
  await announceLimits(db, account.accountId, effectivePlan(account, undefined), realTime);
  await watchUsage(db, account.accountId, realTime);
  return { ended, invoice };
}

/** Returns invoice lines for overage that no charge has billed. Usage reported later counts for the next period. */
async function closePeriod(
  { db, account }: LockedAccount,
  subscription: Subscription,
  end: Date,
): Promise<readonly InvoiceLine[]> {
  const { accountId } = account;
  const period = { start: subscription.currentPeriodStart, end };
  const plan = effectivePlan(account, subscription);
  await cutUsage(db, accountId, end);
  const usage = await readPeriodUsage(db, subscription, plan, end);
  // An unpaid subscription may resume within the period.
  await endStretch(db, subscription, usage);
  const overage = sumOverage(overageOf(usage));
  await insertEndedPeriod(db, {
    ...period,
    subscriptionId: subscription.id,
    accountId,
    planId: subscription.planId,
    includedMinutes: plan.monthlyMinutes,
    overageMinutes: overage.minutes,
    baseCents: subscription.baseCents,
    overageCents: overage.cents,
  });
  await closeUsageUntil(db, accountId, end);
  return overageLines(unbilledOverage(usage), period, plan.currency);
}
