/** Subscribing, changing plan and canceling. */
import { newId } from '@audiosplit/chassis/ids';
import { afterCommit } from '@audiosplit/chassis/postgres/joined-transaction';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import { effectivePlan } from '../account-state.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import {
  AlreadySubscribedError,
  InvoiceUnpaidError,
  NoActiveSubscriptionError,
  PriceChangedError,
} from '../errors.ts';
import type { Charge } from '../payment/charge.ts';
import { applyUpgrade, beginSubscription } from '../payment/settle-charge.ts';
import { describeUpgrade, firstChargeCents, paidPlan, planChangeTerms } from '../plans/plan-change.ts';
import { type Plan, planOf } from '../plans/plans.ts';
import { hasDebt } from '../store/invoices.ts';
import { billOverageWith } from '../store/overage.ts';
import { readSubscription, updateSubscription } from '../store/subscriptions.ts';
import { sumOverage } from '../usage/overage.ts';
import { endStretch, readPeriodUsage, unbilledOverage } from '../usage/period-usage.ts';
import { decide, type Locked, planCharge, requiredMethod, settleOrThrow } from './decide.ts';
import { endSubscription } from './period-end.ts';
import type { Subscription } from './subscription.ts';

/**
 * Charges at most `maxAmountCents`, if given.
 *
 * Throws AlreadySubscribedError, InvoiceUnpaidError, PriceChangedError, PaymentMethodRequiredError, PaymentFailedError,
 * InvalidParamsError.
 */
export async function subscribe(
  dependencies: BillingDependencies,
  accountId: string,
  planId: string,
  maxAmountCents?: number,
): Promise<Subscription> {
  const plan = paidPlan(planId);
  const subscriptionId = newId('sub', dependencies.clock());
  const decision = await decide<Subscription>(dependencies, accountId, async (locked) => {
    if (locked.subscription !== undefined) throw new AlreadySubscribedError();
    await requireNoDebt(locked);
    const { db, account, now } = locked;
    const amountCents = firstChargeCents(account, plan, dependencies.provider);
    const purpose = { kind: 'subscribe', subscriptionId, planId } as const;
    requireAgreed(amountCents, maxAmountCents);
    if (amountCents > 0) {
      return { kind: 'charge', charge: await planCharge(locked, amountCents, plan, purpose) };
    }
    // Overage may have to be charged later.
    await requiredMethod(db, accountId);
    const terms = { requestedAt: now, amountCents, currency: plan.currency };
    return { kind: 'done', result: await beginSubscription(locked, terms, purpose) };
  });
  if (decision.kind === 'done') return decision.result;
  return settled(dependencies, decision.charge);
}

interface PlanChange {
  readonly subscription: Subscription;
  /** Of an upgrade. */
  readonly proration:
    | { readonly amountCents: number; readonly currency: string; readonly description: string }
    | undefined;
}

/**
 * An upgrade applies at once and charges the rest of the period and the overage so far. A downgrade applies with the
 * next period. The current plan cancels a scheduled change. Charges at most `maxAmountCents`, if given.
 *
 * Throws NoActiveSubscriptionError, PlanUnchangedError, InvoiceUnpaidError, PriceChangedError,
 * PaymentMethodRequiredError, PaymentFailedError.
 */
export async function changePlan(
  dependencies: BillingDependencies,
  accountId: string,
  planId: string,
  maxAmountCents?: number,
): Promise<PlanChange> {
  const plan = paidPlan(planId);
  const decision = await decide<PlanChange>(dependencies, accountId, async (locked) => {
    const { db, account, now } = locked;
    const subscription = running(locked.subscription);
    const current = planOf(subscription.planId);
    const usage = await readPeriodUsage(db, subscription, effectivePlan(account, subscription));
    const unbilledCents = sumOverage(unbilledOverage(usage)).cents;
    const standing = { account, subscription, unbilledCents, now };
    const terms = planChangeTerms(standing, plan, dependencies.provider);
    if (terms.kind !== 'upgrade') {
      const scheduledPlanId = terms.kind === 'downgrade' ? planId : undefined;
      const changed = {
        ...subscription,
        scheduledPlanId,
        cancelAtPeriodEnd: false,
        cancelReason: undefined,
      };
      await updateSubscription(db, changed);
      return { kind: 'done', result: { subscription: changed, proration: undefined } };
    }
    await requireNoDebt(locked);
    const { amountCents, prorationCents } = terms;
    requireAgreed(amountCents, maxAmountCents);
    if (amountCents === 0) {
      await applyUpgrade(locked, subscription, { planId, prorationCents: 0 });
      const changed = { ...subscription, planId, scheduledPlanId: undefined };
      return { kind: 'done', result: { subscription: changed, proration: prorationOf(plan, current, 0) } };
    }
    const target = { subscriptionId: subscription.id, planId, fromPlanId: current.id, prorationCents };
    const charge = await planCharge(locked, amountCents, plan, { kind: 'upgrade', ...target });
    await endStretch(db, subscription, usage);
    await billOverageWith(db, subscription, charge.id);
    return { kind: 'charge', charge };
  });
  if (decision.kind === 'done') return decision.result;
  const { purpose } = decision.charge;
  if (purpose.kind !== 'upgrade') throw new Error(`a plan change led to a charge for ${purpose.kind}`);
  const subscription = await settled(dependencies, decision.charge);
  return { subscription, proration: prorationOf(plan, planOf(purpose.fromPlanId), purpose.prorationCents) };
}

/**
 * Cancels at the end of the period, or immediately: then overage is billed and nothing is refunded. Canceling
 * at the end of the period is idempotent.
 *
 * Throws NoActiveSubscriptionError.
 */
export async function cancelSubscription(
  dependencies: BillingDependencies,
  accountId: string,
  { immediate, reason }: { readonly immediate: boolean; readonly reason: string | undefined },
): Promise<Subscription> {
  const decision = await decide<Subscription>(dependencies, accountId, async (locked) => {
    const { db, now } = locked;
    const current = running(locked.subscription);
    const subscription = { ...current, cancelReason: reason ?? current.cancelReason };
    if (immediate) {
      const { ended } = await endSubscription(locked, subscription, { endedAt: now, status: 'canceled' });
      return { kind: 'done', result: ended };
    }
    const canceled = { ...subscription, cancelAtPeriodEnd: true, scheduledPlanId: undefined };
    await updateSubscription(db, canceled);
    return { kind: 'done', result: canceled };
  });
  if (decision.kind === 'charge') throw new Error('a cancellation must not create a charge');
  // The final invoice is due at once. The cancellation does not wait for its payment.
  if (immediate) afterCommit(() => dependencies.queueAdvance(accountId));
  return decision.result;
}

/** Throws PriceChangedError. */
function requireAgreed(amountCents: number, maxAmountCents = amountCents): void {
  if (amountCents > maxAmountCents) throw new PriceChangedError();
}

/** Throws PaymentFailedError. */
async function settled(dependencies: BillingDependencies, charge: Charge): Promise<Subscription> {
  await settleOrThrow(dependencies, charge);
  return withTransaction(dependencies.pool, async (db) =>
    existing(await readSubscription(db, charge.purpose.subscriptionId)),
  );
}

/** Throws InvoiceUnpaidError. */
async function requireNoDebt({ db, account, now }: Locked): Promise<void> {
  if (await hasDebt(db, account.accountId, now)) throw new InvoiceUnpaidError();
}

function prorationOf(plan: Plan, from: Plan, amountCents: number): PlanChange['proration'] {
  return { amountCents, currency: plan.currency, description: describeUpgrade(plan, from) };
}

function running(subscription: Subscription | undefined): Subscription {
  if (subscription === undefined) throw new NoActiveSubscriptionError();
  return subscription;
}

function existing(subscription: Subscription | undefined): Subscription {
  if (subscription === undefined) throw new Error('the paid subscription is missing');
  return subscription;
}
