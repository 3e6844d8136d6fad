/**
 * Detaches removed payment methods at the provider. The removal is recorded in the transaction that removes the method
 * here, and retried until it succeeds. No new charge uses the method; charges in flight are settled.
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

/** Detaches the methods of one account. One that fails is retried in the scheduled run. */
export async function detachRemovedOf(
  dependencies: Dependencies,
  accountId: string,
  log: Logger,
): Promise<void> {
  for (const removal of await listRemovalsOf(dependencies.pool, accountId)) {
    await detach(dependencies, removal, log);
  }
}

/** Detaches all removed methods. One that fails is retried in the next run. */
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
    log.warn({ err: error, ...removal }, 'a removed payment method could not be detached at the provider');
  }
}
