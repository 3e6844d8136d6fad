import { NotFoundError, UnavailableError } from '@audiosplit/chassis/errors';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import { accountTime } from './account-state.ts';
import { advanceAccount } from './advance-account.ts';
import type { BillingDependencies } from './billing-dependencies.ts';
import { PaymentFailedError, PaymentMethodInUseError } from './errors.ts';
import { PaymentDeclinedError, type PaymentMethod } from './payment/payment-provider.ts';
import { lockAccount } from './store/accounts.ts';
import { hastenOpenInvoices } from './store/invoices.ts';
import { deletePaymentMethod, putPaymentMethod, readPaymentMethod } from './store/payment-methods.ts';
import { readRunningSubscription } from './store/subscriptions.ts';

/** Open invoices are charged at once: that is why most people change their card. Throws PaymentFailedError. */
export async function setPaymentMethod(
  dependencies: BillingDependencies,
  accountId: string,
  token: string,
): Promise<PaymentMethod> {
  const { pool, provider, clock } = dependencies;
  const before = await readPaymentMethod(pool, accountId);
  const method = await provider
    .attach({ accountId, customerId: before?.customerId, token })
    .catch((error: unknown) => {
      if (error instanceof PaymentDeclinedError) throw new PaymentFailedError(error.publicMessage);
      throw new UnavailableError(error);
    });
  await withTransaction(pool, async (client) => {
    const account = await lockAccount(client, accountId);
    await putPaymentMethod(client, accountId, method);
    await hastenOpenInvoices(client, accountId, accountTime(account, clock()));
  });
  // The card is on file whatever becomes of the charges: those that fail are tried again.
  await advanceAccount(dependencies, accountId).catch(() => undefined);
  return method;
}

/** Throws NotFoundError, PaymentMethodInUseError. */
export async function removePaymentMethod(
  dependencies: BillingDependencies,
  accountId: string,
): Promise<void> {
  await advanceAccount(dependencies, accountId);
  const method = await withTransaction(dependencies.pool, async (client) => {
    await lockAccount(client, accountId);
    const onFile = await readPaymentMethod(client, accountId);
    if (onFile === undefined) throw new NotFoundError('A payment method');
    if ((await readRunningSubscription(client, accountId)) !== undefined) throw new PaymentMethodInUseError();
    await deletePaymentMethod(client, accountId);
    return onFile;
  });
  await dependencies.provider.detach(method).catch((error: unknown) => {
    throw new UnavailableError(error);
  });
}
