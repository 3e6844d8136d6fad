/**
 * Called when the last debt of an unpaid subscription is paid: the subscription becomes active again. If the
 * period that was cut short has not ended yet, it continues, because it is paid for; minutes metered on the
 * Free plan meanwhile are not part of it. Otherwise a new period begins and is charged like a renewal.
 */
import { accountTime, effectivePlan } from '../account-state.ts';
import { issueInvoice, planLine } from '../invoices/invoicing.ts';
import { announceLimits } from '../limits/limits-change.ts';
import type { LockedAccount } from '../locked-account.ts';
import { deleteEndedPeriod, updateSubscription } from '../store/subscriptions.ts';
import { cutUsage } from '../store/usage.ts';
import { endFreeStretch, readPeriodUsage } from '../usage/period-usage.ts';
import { watchUsage } from '../usage/watch-usage.ts';
import type { Subscription } from './subscription.ts';
import { subscriptionPeriod } from './subscription-period.ts';

export async function resumeSubscription(
  { db, account, realTime }: LockedAccount,
  subscription: Subscription,
  paidAt: Date,
): Promise<void> {
  const { accountId } = account;
  const { anchorAt, periodNumber, currentPeriodStart } = subscription;
  const plan = effectivePlan(account, subscription);
  const active = { ...subscription, status: 'active', endedAt: undefined } as const;
  const { end } = subscriptionPeriod(anchorAt, periodNumber);
  if (paidAt < end) {
    await deleteEndedPeriod(db, subscription.id, currentPeriodStart);
    const resumed = { ...active, currentPeriodEnd: end };
    await updateSubscription(db, resumed);
    await endFreeStretch(
      db,
      resumed,
      await readPeriodUsage(db, resumed, plan),
      accountTime(account, realTime),
    );
  } else {
    const period = subscriptionPeriod(paidAt, 0);
    await cutUsage(db, accountId, period.start);
    await cutUsage(db, accountId, period.end);
    await updateSubscription(db, {
      ...active,
      anchorAt: paidAt,
      periodNumber: 0,
      currentPeriodStart: period.start,
      currentPeriodEnd: period.end,
      baseCents: plan.pricePerMonthCents,
    });
    await issueInvoice(db, subscription, {
      lines: [planLine(plan.name, period, plan.pricePerMonthCents)],
      currency: plan.currency,
      period,
      issuedAt: paidAt,
      payment: 'open',
    });
  }
  await announceLimits(db, accountId, plan, realTime);
  await watchUsage(db, accountId, realTime);
}
