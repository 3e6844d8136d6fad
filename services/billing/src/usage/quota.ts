/** The quota from which the jobs service makes reservations. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import { type Pool, withSnapshot } from '@audiosplit/chassis/postgres/pool';
import { accountTime, readAccountState } from '../account-state.ts';
import { listCounted, sumUsage } from '../store/usage.ts';
import { coveredMinutes } from './overage.ts';
import { readPeriodUsage } from './period-usage.ts';
import { spendableUnder, spendLimitCents } from './spend-limit.ts';
import { remainingMs } from './usage.ts';
import { currentTerms } from './usage-report.ts';

const MAX_ASKED_JOBS = 1_000;

interface Quota {
  /** What is left in the current period before work is rejected or costs more. */
  readonly remainingMs: number;
  readonly overageAllowed: boolean;
  /** Undefined: no limit. */
  readonly spendableMs: number | undefined;
  /** Those of the named jobs that the other figures include. */
  readonly countedJobIds: readonly string[];
}

/** Throws InvalidParamsError. */
export function readQuota(
  pool: Pool,
  accountId: string,
  jobIds: readonly string[],
  realTime: Date,
): Promise<Quota> {
  if (jobIds.length > MAX_ASKED_JOBS) {
    throw new InvalidParamsError('jobIds', `give at most ${MAX_ASKED_JOBS}.`);
  }
  return withSnapshot(pool, async (db) => {
    const state = await readAccountState(db, accountId);
    const { account, subscription, plan } = state;
    const overageAllowed = plan.overageMillicentsPerMinute !== undefined;
    const countedJobIds = await listCounted(db, accountId, jobIds);
    if (subscription === undefined) {
      const { period, minutesIncluded } = currentTerms(state, accountTime(account, realTime));
      const { sourceDurationMs } = await sumUsage(db, accountId, period);
      const leftMs = remainingMs(minutesIncluded, sourceDurationMs);
      return { remainingMs: leftMs, overageAllowed, spendableMs: undefined, countedJobIds };
    }
    const usage = await readPeriodUsage(db, subscription, plan);
    const covered = coveredMinutes(usage.earlier, plan.monthlyMinutes);
    return {
      remainingMs: remainingMs(covered, usage.totals.sourceDurationMs),
      overageAllowed,
      spendableMs: spendableUnder(spendLimitCents(account, subscription, plan), usage, plan)?.ms,
      countedJobIds,
    };
  });
}
