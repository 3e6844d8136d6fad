import { createHash } from 'node:crypto';
import { NotFoundError } from '@audiosplit/chassis/errors';
import { commitEarly, runUnjoined } from '@audiosplit/chassis/postgres/joined-transaction';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import { accountTime } from '../account-state.ts';
import { advanceAccount } from '../advance-account.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { AccountPurgedError, PaymentFailedError, PaymentMethodInUseError } from '../errors.ts';
import { countProviderAnswer, lockAccount, readAccount, updateCustomer } from '../store/accounts.ts';
import { readPendingCharge } from '../store/charges.ts';
import { insertCustomerRemoval } from '../store/customer-removals.ts';
import { makeOpenInvoicesDue } from '../store/invoices.ts';
import { insertRemoval, isBeingRemoved } from '../store/payment-method-removals.ts';
import { deletePaymentMethod, putPaymentMethod, readPaymentMethod } from '../store/payment-methods.ts';
import { readRunningSubscription } from '../store/subscriptions.ts';
import { isAnswered, type PaymentMethod } from './payment-provider.ts';
import { toCallError } from './provider-failure.ts';

/** Replaces the method on file and charges open invoices at once. Throws PaymentFailedError. */
export async function setPaymentMethod(
  dependencies: BillingDependencies,
  accountId: string,
  token: string,
): Promise<PaymentMethod> {
  const { pool, provider, clock, queueDetach, queueForget } = dependencies;
  const { customerId, providerAnswers } = await readAccount(pool, accountId);
  const attemptKey = `${accountId}-${providerAnswers}-${digestOf(token)}`;
  const attached = provider.attach({ accountId, customerId, token, attemptKey });
  const method = await attached.catch(async (error: unknown) => {
    if (isAnswered(error)) await runUnjoined(() => countProviderAnswer(pool, accountId, providerAnswers));
    throw toCallError(error);
  });
  const put = withTransaction(pool, async (client) => {
    const account = await lockAccount(client, accountId);
    if (await isBeingRemoved(client, { accountId, methodId: method.methodId })) {
      throw new PaymentFailedError('This payment method has been removed; make a new token of the card.');
    }
    const before = await readPaymentMethod(client, accountId);
    await putPaymentMethod(client, accountId, method);
    await updateCustomer(client, accountId, method.customerId);
    await countProviderAnswer(client, accountId, providerAnswers);
    if (before !== undefined && before.methodId !== method.methodId) {
      await insertRemoval(client, { accountId, methodId: before.methodId }, clock());
    }
    await makeOpenInvoicesDue(client, accountId, accountTime(account, clock()));
  });
  await put.catch(async (error: unknown) => {
    if (error instanceof AccountPurgedError) {
      // The purge did not know this customer, so it is deleted here.
      await insertCustomerRemoval(pool, method.customerId, clock());
      queueForget(method.customerId);
    }
    throw error;
  });
  queueDetach(accountId);
  await commitEarly();
  // The card stays on file even if a charge fails; the next run retries it.
  await runUnjoined(() => advanceAccount(dependencies, accountId)).catch(() => undefined);
  return method;
}

/** The token itself must not appear in logs or keys. */
function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 16);
}

/** Throws NotFoundError, PaymentMethodInUseError. */
export async function removePaymentMethod(
  dependencies: BillingDependencies,
  accountId: string,
): Promise<void> {
  const { pool, clock, queueDetach } = dependencies;
  for (let isRemoved = false; !isRemoved; ) {
    // Releases the account's lock, which advanceAccount takes on another connection.
    await commitEarly();
    await runUnjoined(() => advanceAccount(dependencies, accountId));
    isRemoved = await withTransaction(pool, async (client) => {
      await lockAccount(client, accountId);
      // A charge was requested meanwhile, and its outcome may need the method.
      if ((await readPendingCharge(client, accountId)) !== undefined) return false;
      const onFile = await readPaymentMethod(client, accountId);
      if (onFile === undefined) throw new NotFoundError('A payment method');
      if ((await readRunningSubscription(client, accountId)) !== undefined) {
        throw new PaymentMethodInUseError();
      }
      await deletePaymentMethod(client, accountId);
      await insertRemoval(client, { accountId, methodId: onFile.methodId }, clock());
      return true;
    });
  }
  queueDetach(accountId);
}
