import type { Logger } from '@audiosplit/chassis/process/log';
import { advanceAccount } from './advance-account.ts';
import type { BillingDependencies } from './billing-dependencies.ts';
import { listDueAccounts } from './store/subscriptions.ts';

const BATCH = 200;
/** The request that created a charge settles it. One pending for longer was left by a process that died. */
const ABANDONED_AFTER_MS = 60_000;

/** Advances every account with something due. One that fails is retried in the next run. */
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
