/**
 * Settles a pending charge: sends it to the provider, then writes the consequences of the response.
 *
 * The row is committed before the request to the provider, so another process can continue after a crash.
 * Several processes may settle the same charge: the provider charges once per id and gives each the same
 * answer, and the first to write it wins.
 */
import { type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { accountTime, effectivePlan } from '../account-state.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { issueInvoice, overageLines, planLine, upgradeLine } from '../invoices/invoicing.ts';
import { announceLimits } from '../limits/limits-change.ts';
import type { LockedAccount } from '../locked-account.ts';
import { planOf } from '../plans/plans.ts';
import { lockAccount } from '../store/accounts.ts';
import { countChargeAnswer, markDeclined, markSucceeded, readChargeState } from '../store/charges.ts';
import { countOpenInvoices, countUnpaidInvoices, readInvoice, updateInvoice } from '../store/invoices.ts';
import { listOverageStretches } from '../store/overage.ts';
import { readPaymentMethod } from '../store/payment-methods.ts';
import {
  insertSubscription,
  readRunningSubscription,
  readSubscription,
  updateSubscription,
} from '../store/subscriptions.ts';
import { cutUsage } from '../store/usage.ts';
import { endSubscription } from '../subscription/period-end.ts';
import { resumeSubscription } from '../subscription/resume-subscription.ts';
import { nextChargeAt, type Subscription } from '../subscription/subscription.ts';
import { subscriptionPeriod } from '../subscription/subscription-period.ts';
import { priceOverage } from '../usage/overage.ts';
import { endTerms, readPeriodUsage } from '../usage/period-usage.ts';
import { watchUsage } from '../usage/watch-usage.ts';
import type { Charge, ChargeOutcome, ChargePurpose } from './charge.ts';
import { type ChargeAnswer, isAnswered, PaymentDeclinedError } from './payment-provider.ts';
import { toCallError } from './provider-failure.ts';

/**
 * Calls the provider only if the outcome is not known yet. The charge stays pending if this throws.
 *
 * Throws UnavailableError if the provider does not answer, ProviderFaultError if a retry would fail too.
 */
export async function settleCharge(
  dependencies: BillingDependencies,
  charge: Charge,
): Promise<ChargeOutcome> {
  const earlier = await readChargeState(dependencies.pool, charge.id);
  if (earlier !== 'pending') return earlier;
  return writeAnswer(dependencies, charge, await askProvider(dependencies, charge));
}

/** Writes the provider's answer and its consequences, unless another process already did. Returns what is written. */
export async function writeAnswer(
  dependencies: BillingDependencies,
  charge: Charge,
  answer: ChargeAnswer,
): Promise<ChargeOutcome> {
  const realTime = dependencies.clock();
  const outcome = await withTransaction(dependencies.pool, async (db): Promise<ChargeOutcome> => {
    const locked = { db, account: await lockAccount(db, charge.accountId), realTime };
    const known = await readChargeState(db, charge.id);
    if (known !== 'pending') return known;
    if (answer.kind === 'succeeded') {
      await markSucceeded(db, charge.id, answer.providerChargeId);
      await applySuccess(locked, charge);
      return { kind: 'succeeded' };
    }
    await markDeclined(db, charge.id, answer.publicMessage);
    await applyDecline(locked, charge);
    return answer;
  });
  dependencies.wakeRelay();
  return outcome;
}

async function askProvider({ provider, pool }: BillingDependencies, charge: Charge): Promise<ChargeAnswer> {
  const { id, method, amountCents, currency, purpose, createdAt, providerAnswers } = charge;
  const description = purpose.kind === 'invoice' ? 'audiosplit invoice' : `audiosplit ${purpose.planId}`;
  try {
    const attemptKey = providerAnswers === 0 ? id : `${id}.${providerAnswers}`;
    const request = { method, amountCents, currency, description, idempotencyKey: id, attemptKey, createdAt };
    return { kind: 'succeeded', ...(await provider.charge(request)) };
  } catch (error) {
    if (error instanceof PaymentDeclinedError)
      return { kind: 'declined', publicMessage: error.publicMessage };
    if (isAnswered(error)) await countChargeAnswer(pool, charge);
    throw toCallError(error);
  }
}

async function applySuccess(locked: LockedAccount, charge: Charge): Promise<void> {
  const { purpose } = charge;
  switch (purpose.kind) {
    case 'subscribe':
      return void (await beginSubscription(locked, charge, purpose));
    case 'upgrade':
      return upgrade(locked, charge, purpose);
    case 'invoice':
      return payInvoice(locked, purpose.invoiceId, charge.requestedAt);
    default:
      return purpose satisfies never;
  }
}

/** Starts the subscription, with a paid invoice if it costs anything. */
export async function beginSubscription(
  { db, account, realTime }: LockedAccount,
  { requestedAt, amountCents, currency }: Pick<Charge, 'requestedAt' | 'amountCents' | 'currency'>,
  { subscriptionId, planId }: { readonly subscriptionId: string; readonly planId: string },
): Promise<Subscription> {
  const period = subscriptionPeriod(requestedAt, 0);
  const subscription: Subscription = {
    id: subscriptionId,
    accountId: account.accountId,
    planId,
    scheduledPlanId: undefined,
    status: 'active',
    anchorAt: requestedAt,
    periodNumber: 0,
    currentPeriodStart: period.start,
    currentPeriodEnd: period.end,
    baseCents: amountCents,
    cancelAtPeriodEnd: false,
    cancelReason: undefined,
    endedAt: undefined,
  };
  await insertSubscription(db, subscription);
  await cutUsage(db, account.accountId, period.start);
  await cutUsage(db, account.accountId, period.end);
  await issueInvoice(db, subscription, {
    lines: [planLine(planOf(planId).name, period, amountCents)],
    currency,
    period,
    issuedAt: requestedAt,
    payment: 'paid',
  });
  await announceLimits(db, account.accountId, effectivePlan(account, subscription), realTime);
  return subscription;
}

async function upgrade(
  locked: LockedAccount,
  { id, requestedAt, currency }: Charge,
  { subscriptionId, planId, prorationCents }: Extract<ChargePurpose, { kind: 'upgrade' }>,
): Promise<void> {
  const { db } = locked;
  const subscription = await runningSubscription(db, subscriptionId);
  await applyUpgrade(locked, subscription, { planId, prorationCents });
  const { currentPeriodStart, currentPeriodEnd: end } = subscription;
  const names = [planOf(subscription.planId).name, planOf(planId).name] as const;
  const priced = priceOverage(await listOverageStretches(db, subscription));
  const billed = priced.filter(({ chargeId }) => chargeId === id);
  const used = { start: currentPeriodStart, end: requestedAt };
  await issueInvoice(db, subscription, {
    lines: [upgradeLine(...names, end, prorationCents), ...overageLines(billed, used, currency)],
    currency,
    period: { start: requestedAt, end },
    issuedAt: requestedAt,
    payment: 'paid',
  });
}

/** The new allowance applies at once. Minutes metered before keep their price. */
export async function applyUpgrade(
  { db, account, realTime }: LockedAccount,
  subscription: Subscription,
  { planId, prorationCents }: { readonly planId: string; readonly prorationCents: number },
): Promise<void> {
  const plan = effectivePlan(account, subscription);
  const usage = await readPeriodUsage(db, subscription, plan);
  await endTerms(db, subscription, usage, accountTime(account, realTime));
  const baseCents = subscription.baseCents + prorationCents;
  await updateSubscription(db, { ...subscription, planId, scheduledPlanId: undefined, baseCents });
  await announceLimits(db, account.accountId, effectivePlan(account, { planId }), realTime);
  await watchUsage(db, account.accountId, realTime);
}

/** An amount below the provider's minimum is not owed. */
export async function voidInvoice(db: Queryable, invoice: Invoice): Promise<void> {
  await updateInvoice(db, { ...invoice, status: 'void', nextChargeAt: undefined });
}

async function payInvoice(locked: LockedAccount, invoiceId: string, paidAt: Date): Promise<void> {
  const { db, account } = locked;
  const invoice = await unpaidInvoice(db, invoiceId);
  const chargeAttempts = invoice.chargeAttempts + 1;
  await updateInvoice(db, {
    ...invoice,
    status: 'paid',
    paidAt,
    chargeAttempts,
    nextChargeAt: undefined,
  });
  const subscription = await readSubscription(db, invoice.subscriptionId);
  if (subscription?.status === 'past_due') {
    if ((await countOpenInvoices(db, subscription.id)) > 0) return;
    await updateSubscription(db, { ...subscription, status: 'active' });
  }
  if (subscription?.status === 'unpaid') {
    if ((await countUnpaidInvoices(db, subscription.id)) > 0) return;
    // With an earlier release the account may have subscribed again in spite of the debt.
    if ((await readRunningSubscription(db, account.accountId)) !== undefined) return;
    await resumeSubscription(locked, subscription, paidAt);
  }
}

async function applyDecline(locked: LockedAccount, { purpose, method, requestedAt }: Charge): Promise<void> {
  if (purpose.kind !== 'invoice') return;
  const { db, account } = locked;
  const onFile = await readPaymentMethod(db, account.accountId);
  // A new card is on file, and setting it already made the invoice due.
  if (onFile !== undefined && onFile.methodId !== method.methodId) return;
  const invoice = await readInvoice(db, purpose.invoiceId);
  // A charge that was given up stays so.
  if (invoice?.status === 'open') await planNextTry(locked, invoice.id, requestedAt);
}

/** After a failed attempt to charge an open invoice: schedules the next one, or gives up after the last. */
export async function planNextTry(locked: LockedAccount, invoiceId: string, triedAt: Date): Promise<void> {
  const { db } = locked;
  const invoice = await openInvoice(db, invoiceId);
  const chargeAttempts = invoice.chargeAttempts + 1;
  const next = nextChargeAt(invoice.issuedAt, triedAt);
  await updateInvoice(db, {
    ...invoice,
    chargeAttempts,
    status: next === undefined ? 'uncollectible' : 'open',
    nextChargeAt: next,
  });
  const subscription = await readSubscription(db, invoice.subscriptionId);
  if (subscription === undefined || subscription.endedAt !== undefined) return;
  if (next === undefined) await endSubscription(locked, subscription, { endedAt: triedAt, status: 'unpaid' });
  else await updateSubscription(db, { ...subscription, status: 'past_due' });
}

async function runningSubscription(db: Queryable, id: string): Promise<Subscription> {
  const subscription = await readSubscription(db, id);
  if (subscription === undefined || subscription.endedAt !== undefined) {
    throw new Error(`subscription ${id} ended before its upgrade was written`);
  }
  return subscription;
}

async function unpaidInvoice(db: Queryable, id: string) {
  const invoice = await readInvoice(db, id);
  if (invoice?.status !== 'open' && invoice?.status !== 'uncollectible') {
    throw new Error(`invoice ${id} is not to be paid`);
  }
  return invoice;
}

async function openInvoice(db: Queryable, id: string) {
  const invoice = await readInvoice(db, id);
  if (invoice?.status !== 'open') throw new Error(`invoice ${id} is not open`);
  return invoice;
}
