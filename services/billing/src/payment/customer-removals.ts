/**
 * A customer whose account goes is noted, in the transaction that purges it, as one that the provider has to forget, with
 * all cards: at once, and again and again until it has. So a purge here does not wait for the provider.
 */
import type { Logger } from '@audiosplit/chassis/process/log';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { deleteCustomerRemoval, listCustomerRemovals } from '../store/customer-removals.ts';

const BATCH = 100;

type Dependencies = Pick<BillingDependencies, 'pool' | 'provider'>;

/** All that are noted. One that fails is left for the next time. */
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
        log.warn({ err: error, customerId }, 'the customer of a purged account is still with the provider');
      });
    }
    const last = batch.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** One that is noted. Throws what the provider does. */
export async function forgetCustomer({ pool, provider }: Dependencies, customerId: string): Promise<void> {
  await provider.forget(customerId);
  await deleteCustomerRemoval(pool, customerId);
}
