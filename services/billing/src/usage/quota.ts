import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { AccountState } from '../account-state.ts';
import { listOverageStretches } from '../store/overage.ts';
import { sumUsage } from '../store/usage.ts';
import { coveredMinutes } from './overage.ts';
import { remainingMs } from './usage.ts';
import { currentTerms } from './usage-report.ts';

/** The time left in the current period before work is rejected or costs more. */
export async function readQuotaLeftMs(db: Queryable, state: AccountState, now: Date): Promise<number> {
  const { account, subscription } = state;
  const { period, minutesIncluded } = currentTerms(state, now);
  const { sourceDurationMs } = await sumUsage(db, account.accountId, period);
  const earlier = subscription === undefined ? [] : await listOverageStretches(db, subscription);
  return remainingMs(coveredMinutes(earlier, minutesIncluded), sourceDurationMs);
}
