/**
 * Deletes the customers of purged accounts, with their cards, at the provider. The purge records the customer in its
 * transaction and does not wait for the provider; the deletion is retried until it succeeds.
 */
import type { Logger } from '@audiosplit/chassis/process/log';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { deleteCustomerRemoval, listCustomerRemovals } from '../store/customer-removals.ts';

const BATCH = 100;

type Dependencies = Pick<BillingDependencies, 'pool' | 'provider'>;

/** Deletes all recorded customers. One that fails is retried in the next run. */
export async function forgetCustomers(
  dependencies: Dependencies,
  log: Logger,
  stopping?: AbortSignal,
): Promise<void> {
  let after = '';
  for (;;) {
    const batch = await listCustomerRemovals(dependencies.pool, after, BATCH);
    for (const customerId of batch) {
      if (stopping?.aborted) return;
      await forgetCustomer(dependencies, customerId).catch((error: unknown) => {
        log.warn(
          { err: error, customerId },
          'the customer of a purged account could not be deleted at the provider',
        );
      });
    }
    const last = batch.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** Deletes one recorded customer. Throws the provider's error. */
export async function forgetCustomer({ pool, provider }: Dependencies, customerId: string): Promise<void> {
  await provider.forget(customerId);
  await deleteCustomerRemoval(pool, customerId);
}
