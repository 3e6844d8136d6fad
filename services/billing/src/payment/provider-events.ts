/**
 * Handles the payment provider's webhook events: the outcome of a charge whose response was lost, a method or
 * customer removed at the provider, refunds and disputes.
 *
 * Events arrive twice, late and in any order, and concurrently with other changes of the account. So an event
 * only triggers a query: the current state of a pending charge is read from the provider and handled like any
 * other response (settle-charge.ts). The event's id is stored last, so that the provider sends a failed event
 * again.
 */
import { InvalidParamsError, NotFoundError } from '@audiosplit/chassis/errors';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { advanceAccount } from '../advance-account.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { AccountPurgedError } from '../errors.ts';
import { reconcileRefunds } from '../refunds/reconcile-refunds.ts';
import { lockAccount } from '../store/accounts.ts';
import { readCharge, readChargeState } from '../store/charges.ts';
import {
  deletePaymentMethodsWhere,
  listAccountsWith,
  type ProviderReference,
} from '../store/payment-methods.ts';
import { insertKnownEvent, isKnownEvent } from '../store/provider-events.ts';
import {
  ForgedEventError,
  type ProviderEvent,
  type ProviderEventSubject,
  type ProviderEvents,
} from './payment-provider.ts';
import { toCallError } from './provider-failure.ts';
import { writeAnswer } from './settle-charge.ts';

/** Throws NotFoundError if the provider sends no events, InvalidParamsError if the signature is invalid. */
export async function receiveProviderEvent(
  dependencies: BillingDependencies,
  log: Logger,
  { payload, signature }: { readonly payload: Uint8Array; readonly signature: string },
): Promise<void> {
  const { pool, provider, clock } = dependencies;
  if (provider.events === undefined) throw new NotFoundError('This path');
  const event = verify(provider.events, payload, signature, log);
  if (await isKnownEvent(pool, event.id)) return;
  try {
    await handle(dependencies, provider.events, event, log);
  } catch (error) {
    // Late events of a purged account are ignored.
    if (!(error instanceof AccountPurgedError)) throw error;
  }
  await insertKnownEvent(pool, event.id, clock());
}

function verify(events: ProviderEvents, payload: Uint8Array, signature: string, log: Logger): ProviderEvent {
  try {
    return events.verify(payload, signature);
  } catch (error) {
    if (!(error instanceof ForgedEventError)) throw error;
    log.warn({ reason: error.message }, 'an event of the payment provider has no valid signature');
    throw new InvalidParamsError('Stripe-Signature', 'this is not a valid signature of the body.');
  }
}

async function handle(
  dependencies: BillingDependencies,
  events: ProviderEvents,
  { id, type, about }: ProviderEvent,
  log: Logger,
): Promise<void> {
  const logFields = { eventId: id, type };
  switch (about.kind) {
    case 'charge':
      return settle(dependencies, events, about, log.child(logFields));
    case 'method-detached':
      return takeOffFile(dependencies, { methodId: about.methodId });
    case 'customer-forgotten':
      return takeOffFile(dependencies, { customerId: about.customerId });
    case 'refund':
      return reconcileRefunds(dependencies, events, about.providerChargeId, log.child(logFields));
    case 'dispute':
      log.warn({ ...logFields, providerChargeId: about.providerChargeId }, 'a charge was disputed');
      return;
    case 'other':
      log.debug(logFields, 'an event of the payment provider is not used here');
      return;
    default:
      about satisfies never;
  }
}

async function settle(
  dependencies: BillingDependencies,
  events: ProviderEvents,
  { idempotencyKey, providerChargeId }: Extract<ProviderEventSubject, { kind: 'charge' }>,
  log: Logger,
): Promise<void> {
  const { pool } = dependencies;
  const charge = await readCharge(pool, idempotencyKey);
  // The charge belongs to a purged account, or to another installation that uses the same provider account.
  if (charge === undefined) return;
  const terms = { ...charge, idempotencyKey: charge.id };
  const answer = await events.answerOf(terms, providerChargeId).catch((error: unknown) => {
    throw toCallError(error);
  });
  if (answer === undefined) return;
  const known = await readChargeState(pool, charge.id);
  if (known !== 'pending') {
    if (known.kind === 'declined' && answer.kind === 'succeeded') {
      log.error(
        { accountId: charge.accountId, chargeId: charge.id, providerChargeId },
        'a charge that counts as declined has been paid at the provider: pay it back there',
      );
    }
    return;
  }
  await writeAnswer(dependencies, charge, answer);
  await advanceAccount(dependencies, charge.accountId);
}

/** Deletes a method that was removed at the provider, where it can no longer be charged. */
async function takeOffFile({ pool }: BillingDependencies, reference: ProviderReference): Promise<void> {
  for (const accountId of await listAccountsWith(pool, reference)) {
    await withTransaction(pool, async (client) => {
      await lockAccount(client, accountId);
      await deletePaymentMethodsWhere(client, accountId, reference);
    });
  }
}
