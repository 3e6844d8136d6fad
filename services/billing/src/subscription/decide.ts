/**
 * Changes of an account that may charge it. A charge is paid before anything else changes, and a charge already pending for
 * the account is settled first.
 */
import { currentIdempotencyKey } from '@audiosplit/chassis/idempotency/with-idempotency';
import { newId } from '@audiosplit/chassis/ids';
import { commitEarly, runUnjoined } from '@audiosplit/chassis/postgres/joined-transaction';
import { type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { accountTime } from '../account-state.ts';
import { advanceAccount } from '../advance-account.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { PaymentFailedError, PaymentMethodRequiredError } from '../errors.ts';
import type { LockedAccount } from '../locked-account.ts';
import type { Charge, ChargePurpose } from '../payment/charge.ts';
import type { PaymentMethod } from '../payment/payment-provider.ts';
import { settleCharge } from '../payment/settle-charge.ts';
import { lockAccount } from '../store/accounts.ts';
import { insertCharge, readChargeOfRequest, readPendingCharge } from '../store/charges.ts';
import { readPaymentMethod } from '../store/payment-methods.ts';
import { readRunningSubscription } from '../store/subscriptions.ts';
import type { Subscription } from './subscription.ts';

/** The lifetime of idempotency keys. Later the same key belongs to another request. */
const REPEATABLE_MS = 24 * 3_600_000;

export interface Locked extends LockedAccount {
  readonly subscription: Subscription | undefined;
  /** On the account's clock. */
  readonly now: Date;
}

export type Decision<T> =
  | { readonly kind: 'done'; readonly result: T }
  | { readonly kind: 'charge'; readonly charge: Charge };

/**
 * Calls `decider` with the account up to date and locked, and with no charge pending. A repeated request whose first
 * attempt created a charge gets that charge.
 */
export async function decide<T>(
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

/** Throws PaymentMethodRequiredError. */
export async function planCharge(
  { db, account, realTime, now }: Locked,
  amountCents: number,
  { currency }: { readonly currency: string },
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
    providerAnswers: 0,
  };
  await insertCharge(db, charge);
  return charge;
}

/** Throws PaymentMethodRequiredError. */
export async function requiredMethod(db: Queryable, accountId: string): Promise<PaymentMethod> {
  const method = await readPaymentMethod(db, accountId);
  if (method === undefined) throw new PaymentMethodRequiredError();
  return method;
}

/** Throws PaymentFailedError. */
export async function settleOrThrow(dependencies: BillingDependencies, charge: Charge): Promise<void> {
  // The charge's row is committed before the provider is asked for money.
  await commitEarly();
  const outcome = await settleCharge(dependencies, charge);
  if (outcome.kind === 'declined') throw new PaymentFailedError(outcome.publicMessage);
}

function requestKeyOfCall(): string | undefined {
  const call = currentIdempotencyKey();
  return call && JSON.stringify([call.scope, call.key, call.fingerprint]);
}
