/**
 * A method that leaves the file here is noted, in the same transaction, as one to leave the provider's: at once, and
 * again and again until it has. From its note on nothing new is charged to it; what was under way before is taken to
 * its end.
 */
import type { Logger } from '@audiosplit/chassis/process/log';
import type { BillingDependencies } from '../billing-dependencies.ts';
import {
  deleteRemoval,
  listRemovals,
  listRemovalsOf,
  type PaymentMethodRemoval,
} from '../store/payment-method-removals.ts';

const BATCH = 100;

type Dependencies = Pick<BillingDependencies, 'pool' | 'provider'>;

/** Those of one account. One that fails is left for the scheduled run. */
export async function detachRemovedOf(
  dependencies: Dependencies,
  accountId: string,
  log: Logger,
): Promise<void> {
  for (const removal of await listRemovalsOf(dependencies.pool, accountId)) {
    await detach(dependencies, removal, log);
  }
}

/** All there are. One that fails is left for the next time. */
export async function detachRemoved(
  dependencies: Dependencies,
  log: Logger,
  stopping?: AbortSignal,
): Promise<void> {
  let after: PaymentMethodRemoval | undefined;
  for (;;) {
    const batch = await listRemovals(dependencies.pool, after, BATCH);
    for (const removal of batch) {
      if (stopping?.aborted) return;
      await detach(dependencies, removal, log);
    }
    if (batch.length < BATCH) return;
    after = batch.at(-1);
  }
}

async function detach({ pool, provider }: Dependencies, removal: PaymentMethodRemoval, log: Logger) {
  try {
    await provider.detach(removal);
    await deleteRemoval(pool, removal);
  } catch (error) {
    log.warn({ err: error, ...removal }, 'a removed payment method is still with the provider');
  }
}
