import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import { effectivePlan } from '../account-state.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { accountSuspensionChanged } from '../outgoing-events.ts';
import { lockAccount, updateSuspension } from '../store/accounts.ts';
import { readRunningSubscription } from '../store/subscriptions.ts';
import { announceLimits } from './limits-change.ts';

interface SuspensionChange {
  readonly suspended: boolean;
  /** Mailed to the account's holder. */
  readonly reason: string;
}

const MAX_REASON_LENGTH = 1_000;

/**
 * Suspends the account or ends its suspension, and publishes its limits and the mail to its holder. Does
 * nothing if the account already is in that state. The subscription continues, and so do its invoices.
 *
 * Throws InvalidParamsError, AccountPurgedError.
 */
export async function changeSuspension(
  { pool, clock, wakeRelay }: Pick<BillingDependencies, 'pool' | 'clock' | 'wakeRelay'>,
  accountId: string,
  { suspended, reason }: SuspensionChange,
): Promise<void> {
  if (reason === '' || reason.length > MAX_REASON_LENGTH) {
    throw new InvalidParamsError('reason', `say why, in at most ${MAX_REASON_LENGTH} characters.`);
  }
  await withTransaction(pool, async (client) => {
    const account = await lockAccount(client, accountId);
    if (suspended === (account.suspension !== undefined)) return;
    const now = clock();
    await updateSuspension(client, accountId, suspended ? { suspendedAt: now, reason } : undefined);
    const subscription = await readRunningSubscription(client, accountId);
    await announceLimits(client, accountId, effectivePlan(account, subscription), now);
    await appendToOutbox(client, [accountSuspensionChanged(accountId, { suspended, reason }, now)]);
  });
  wakeRelay();
}
