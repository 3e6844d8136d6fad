/**
 * What the payment provider tells by itself: the end of a charge whose answer was lost, a method or a customer that was
 * removed there, money that goes back.
 *
 * Events come twice, late and in any order, while the same account may be at work here. So an event is only a reason to
 * look: a charge that is pending here is asked for as it stands now and written by the code that writes every answer
 * (settle-charge.ts); one whose end is known is left alone. An event's id is remembered once all of this is done, so
 * that one that fails comes again.
 */
import { InvalidParamsError, NotFoundError } from '@audiosplit/chassis/errors';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { advanceAccount } from '../advance-account.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { AccountPurgedError } from '../errors.ts';
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

/** Throws NotFoundError where the provider tells nothing, InvalidParamsError for what it has not signed. */
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
    // What is told late of an account that is gone falls away.
    if (!(error instanceof AccountPurgedError)) throw error;
  }
  await insertKnownEvent(pool, event.id, clock());
}

function verify(events: ProviderEvents, payload: Uint8Array, signature: string, log: Logger): ProviderEvent {
  try {
    return events.verify(payload, signature);
  } catch (error) {
    if (!(error instanceof ForgedEventError)) throw error;
    log.warn({ complaint: error.message }, 'an event of the payment provider has no valid signature');
    throw new InvalidParamsError('Stripe-Signature', 'this is not a valid signature of the body.');
  }
}

async function handle(
  dependencies: BillingDependencies,
  events: ProviderEvents,
  { id, type, about }: ProviderEvent,
  log: Logger,
): Promise<void> {
  const told = { eventId: id, type };
  switch (about.kind) {
    case 'charge':
      return settle(dependencies, events, about, log.child(told));
    case 'method-detached':
      return takeOffFile(dependencies, { methodId: about.methodId });
    case 'customer-forgotten':
      return takeOffFile(dependencies, { customerId: about.customerId });
    case 'money-back':
      log.warn({ ...told, providerChargeId: about.providerChargeId }, 'money of a charge goes back, or may');
      return;
    case 'other':
      log.debug(told, 'an event of the payment provider concerns nothing here');
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
  // Of an account that is gone, or of another installation that shares the provider's account.
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

/** Removed at the provider, where it can no longer be charged. */
async function takeOffFile({ pool }: BillingDependencies, reference: ProviderReference): Promise<void> {
  for (const accountId of await listAccountsWith(pool, reference)) {
    await withTransaction(pool, async (client) => {
      await lockAccount(client, accountId);
      await deletePaymentMethodsWhere(client, accountId, reference);
    });
  }
}
