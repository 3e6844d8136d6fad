/** The quota from which the jobs service makes reservations. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { readCurrentUsage } from './current-usage.ts';
import { coveredMinutes } from './overage.ts';
import { spendableUnder, spendLimitCents } from './spend-limit.ts';
import { remainingMs } from './usage.ts';

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
export async function readQuota(
  db: Queryable,
  accountId: string,
  jobIds: readonly string[],
  realTime: Date,
): Promise<Quota> {
  if (jobIds.length > MAX_ASKED_JOBS) {
    throw new InvalidParamsError('jobIds', `give at most ${MAX_ASKED_JOBS}.`);
  }
  const current = await readCurrentUsage(db, accountId, realTime, jobIds);
  const { account, subscription, plan, usage, countedJobIds } = current;
  const covered = coveredMinutes(usage.earlier, plan.monthlyMinutes);
  return {
    remainingMs: remainingMs(covered, usage.totals.sourceDurationMs),
    overageAllowed: plan.overageMillicentsPerMinute !== undefined,
    spendableMs:
      subscription && spendableUnder(spendLimitCents(account, subscription, plan), usage, plan)?.ms,
    countedJobIds,
  };
}
