/**
 * Subscribing, changing plan and canceling. A charge is paid before the subscription changes. A charge already pending
 * for the account is settled first.
 */
import { currentIdempotencyKey } from '@audiosplit/chassis/idempotency/with-idempotency';
import { newId } from '@audiosplit/chassis/ids';
import { afterCommit, commitEarly, runUnjoined } from '@audiosplit/chassis/postgres/joined-transaction';
import { type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { accountTime, effectivePlan } from '../account-state.ts';
import { advanceAccount } from '../advance-account.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import {
  AlreadySubscribedError,
  NoActiveSubscriptionError,
  PaymentFailedError,
  PaymentMethodRequiredError,
  PriceChangedError,
} from '../errors.ts';
import type { Charge, ChargePurpose } from '../payment/charge.ts';
import type { PaymentMethod } from '../payment/payment-provider.ts';
import { applyUpgrade, beginSubscription, settleCharge } from '../payment/settle-charge.ts';
import { describeUpgrade, firstChargeCents, paidPlan, planChangeTerms } from '../plans/plan-change.ts';
import { type Plan, planOf } from '../plans/plans.ts';
import { type BillingAccount, lockAccount } from '../store/accounts.ts';
import { insertCharge, readChargeOfRequest, readPendingCharge } from '../store/charges.ts';
import { billOverageWith } from '../store/overage.ts';
import { readPaymentMethod } from '../store/payment-methods.ts';
import { readRunningSubscription, readSubscription, updateSubscription } from '../store/subscriptions.ts';
import { sumOverage } from '../usage/overage.ts';
import { endStretch, readPeriodUsage, unbilledOverage } from '../usage/period-usage.ts';
import { endSubscription } from './period-end.ts';
import type { Subscription } from './subscription.ts';

/** As long as idempotency keys are kept. Later the same key belongs to another request. */
const REPEATABLE_MS = 24 * 3_600_000;

interface Locked {
  readonly db: Queryable;
  readonly account: BillingAccount;
  readonly subscription: Subscription | undefined;
  readonly realTime: Date;
  /** On the account's clock. */
  readonly now: Date;
}

type Decision<T> =
  | { readonly kind: 'done'; readonly result: T }
  | { readonly kind: 'charge'; readonly charge: Charge };

/**
 * Charges at most `maxAmountCents`, if given.
 *
 * Throws AlreadySubscribedError, PriceChangedError, PaymentMethodRequiredError, PaymentFailedError,
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
    const { db, account, realTime, now } = locked;
    const amountCents = firstChargeCents(account, plan, dependencies.provider);
    const purpose = { kind: 'subscribe', subscriptionId, planId } as const;
    requireAgreed(amountCents, maxAmountCents);
    if (amountCents > 0) {
      return { kind: 'charge', charge: await planCharge(locked, amountCents, plan, purpose) };
    }
    // Overage may have to be charged later.
    await requiredMethod(db, accountId);
    const terms = { requestedAt: now, amountCents, currency: plan.currency };
    return { kind: 'done', result: await beginSubscription(db, account, terms, purpose, realTime) };
  });
  if (decision.kind === 'done') return decision.result;
  return settleOrThrow(dependencies, decision.charge);
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
 * Throws NoActiveSubscriptionError, PlanUnchangedError, PriceChangedError, PaymentMethodRequiredError,
 * PaymentFailedError.
 */
export async function changePlan(
  dependencies: BillingDependencies,
  accountId: string,
  planId: string,
  maxAmountCents?: number,
): Promise<PlanChange> {
  const plan = paidPlan(planId);
  const decision = await decide<PlanChange>(dependencies, accountId, async (locked) => {
    const { db, account, realTime, now } = locked;
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
    const { amountCents, prorationCents } = terms;
    requireAgreed(amountCents, maxAmountCents);
    if (amountCents === 0) {
      await applyUpgrade(db, account, subscription, planId, 0, realTime);
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
  const subscription = await settleOrThrow(dependencies, decision.charge);
  return { subscription, proration: prorationOf(plan, planOf(purpose.fromPlanId), purpose.prorationCents) };
}

/**
 * At the end of the period, or immediately: then overage is billed and nothing is refunded. Canceling at the end of the
 * period is idempotent.
 *
 * Throws NoActiveSubscriptionError.
 */
export async function cancelSubscription(
  dependencies: BillingDependencies,
  accountId: string,
  { immediate, reason }: { readonly immediate: boolean; readonly reason: string | undefined },
): Promise<Subscription> {
  const decision = await decide<Subscription>(dependencies, accountId, async (locked) => {
    const { db, account, realTime, now } = locked;
    const current = running(locked.subscription);
    const subscription = { ...current, cancelReason: reason ?? current.cancelReason };
    if (immediate) {
      const { ended } = await endSubscription(db, { account, subscription, realTime }, now, 'canceled');
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

/**
 * Calls `decider` with the account up to date and locked, and with no charge pending. A repeated request whose first
 * attempt created a charge gets that charge.
 */
async function decide<T>(
  dependencies: BillingDependencies,
  accountId: string,
  decider: (locked: Locked) => Promise<Decision<T>>,
): Promise<Decision<T>> {
  const { pool, clock, wakeRelay } = dependencies;
  for (;;) {
    await runUnjoined(() => advanceAccount(dependencies, accountId));
    const decision = await withTransaction(pool, async (db) => {
      const account = await lockAccount(db, accountId);
      if ((await readPendingCharge(db, accountId)) !== undefined) return undefined;
      const requestKey = requestKeyOfCall();
      const realTime = clock();
      const repeatable = new Date(realTime.getTime() - REPEATABLE_MS);
      const charge = requestKey && (await readChargeOfRequest(db, accountId, requestKey, repeatable));
      if (charge) return { kind: 'charge', charge } as const;
      const now = accountTime(account, realTime);
      const subscription = await readRunningSubscription(db, accountId);
      if (subscription !== undefined && subscription.currentPeriodEnd <= now) return undefined;
      return decider({ db, account, subscription, realTime, now });
    });
    if (decision === undefined) {
      // Releases the account's lock, which advanceAccount takes on another connection.
      await commitEarly();
      continue;
    }
    wakeRelay();
    return decision;
  }
}

/** Throws PriceChangedError. */
function requireAgreed(amountCents: number, maxAmountCents = amountCents): void {
  if (amountCents > maxAmountCents) throw new PriceChangedError();
}

/** Throws PaymentMethodRequiredError. */
async function planCharge(
  { db, account, realTime, now }: Locked,
  amountCents: number,
  { currency }: Plan,
  purpose: ChargePurpose,
): Promise<Charge> {
  const { accountId } = account;
  const method = await requiredMethod(db, accountId);
  const charge: Charge = {
    id: newId('chg', realTime),
    accountId,
    amountCents,
    currency,
    method,
    purpose,
    requestedAt: now,
    createdAt: realTime,
    requestKey: requestKeyOfCall(),
  };
  await insertCharge(db, charge);
  return charge;
}

/** Throws PaymentMethodRequiredError. */
async function requiredMethod(db: Queryable, accountId: string): Promise<PaymentMethod> {
  const method = await readPaymentMethod(db, accountId);
  if (method === undefined) throw new PaymentMethodRequiredError();
  return method;
}

/** Throws PaymentFailedError. */
async function settleOrThrow(dependencies: BillingDependencies, charge: Charge): Promise<Subscription> {
  // The charge's row is committed before the provider is asked for money.
  await commitEarly();
  const outcome = await settleCharge(dependencies, charge);
  if (outcome.kind === 'declined') throw new PaymentFailedError(outcome.publicMessage);
  return withTransaction(dependencies.pool, async (db) =>
    existing(await readSubscription(db, charge.purpose.subscriptionId)),
  );
}

function requestKeyOfCall(): string | undefined {
  const call = currentIdempotencyKey();
  return call && JSON.stringify([call.scope, call.key, call.fingerprint]);
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
