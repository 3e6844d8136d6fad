import type { Logger } from '@audiosplit/chassis/process/log';
import { advanceAccount } from './advance-account.ts';
import type { BillingDependencies } from './billing-dependencies.ts';
import { listDueAccounts } from './store/subscriptions.ts';

const BATCH = 200;
/** A request that asked for a charge settles it itself, unless its process has died. */
const ABANDONED_AFTER_MS = 60_000;

/** Advances every account that something is due for. One that fails is left for the next time. */
export async function advanceDueAccounts(
  dependencies: BillingDependencies,
  log: Logger,
  stopping?: AbortSignal,
): Promise<void> {
  const tried = new Set<string>();
  for (;;) {
    const now = dependencies.clock();
    const abandonedBefore = new Date(now.getTime() - ABANDONED_AFTER_MS);
    const due = await listDueAccounts(dependencies.pool, now, abandonedBefore, BATCH + tried.size);
    const untried = due.filter((accountId) => !tried.has(accountId));
    if (untried.length === 0) return;
    for (const accountId of untried) {
      if (stopping?.aborted) return;
      tried.add(accountId);
      await advanceAccount(dependencies, accountId).catch((error: unknown) => {
        log.error({ err: error, accountId }, 'an account could not be brought up to date');
      });
    }
  }
}
