import { InvalidParamsError, NotFoundError } from '@audiosplit/chassis/errors';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import { accountTime } from '../account-state.ts';
import { advanceAccount } from '../advance-account.ts';
import type { BillingDependencies } from '../billing-dependencies.ts';
import { lockAccount, updateClockOffset } from '../store/accounts.ts';

const MAX_LEAD_YEARS = 10;

/**
 * Advances an account's billing clock and executes everything that becomes due. Exists with the sandbox
 * provider only.
 *
 * Throws NotFoundError, InvalidParamsError.
 */
export async function setSandboxClock(
  dependencies: BillingDependencies,
  accountId: string,
  time: Date,
): Promise<void> {
  const { pool, provider, clock } = dependencies;
  if (provider.name !== 'sandbox') throw new NotFoundError('A sandbox clock');
  await withTransaction(pool, async (client) => {
    const account = await lockAccount(client, accountId);
    const realTime = clock();
    const now = accountTime(account, realTime);
    if (time < now) {
      throw new InvalidParamsError(
        'now',
        `give a time at or after ${now.toISOString()}: the clock only moves forward.`,
      );
    }
    const latest = new Date(realTime);
    latest.setUTCFullYear(latest.getUTCFullYear() + MAX_LEAD_YEARS);
    if (time > latest) {
      throw new InvalidParamsError('now', `give a time at most ${MAX_LEAD_YEARS} years ahead.`);
    }
    await updateClockOffset(client, accountId, time.getTime() - realTime.getTime());
  });
  await advanceAccount(dependencies, accountId);
}
