/** Usage of a subscription's current period. */
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Plan } from '../plans/plans.ts';
import { insertEndedTerms } from '../store/ended-terms.ts';
import { insertOverageStretch, listOverageStretches } from '../store/overage.ts';
import { sumUsage } from '../store/usage.ts';
import type { Subscription } from '../subscription/subscription.ts';
import {
  isUnbilled,
  meteredSoFar,
  type OverageStretch,
  type PricedOverage,
  priceOverage,
  runningStretch,
} from './overage.ts';
import type { UsageTotals } from './usage.ts';

export interface PeriodUsage {
  readonly totals: UsageTotals;
  readonly earlier: readonly OverageStretch[];
  readonly running: OverageStretch;
}

/** `plan` is the current one, with overrides applied. */
export async function readPeriodUsage(
  db: Queryable,
  subscription: Subscription,
  plan: Pick<Plan, 'monthlyMinutes' | 'overageMillicentsPerMinute'>,
  end: Date = subscription.currentPeriodEnd,
): Promise<PeriodUsage> {
  const { accountId, currentPeriodStart: start } = subscription;
  const totals = await sumUsage(db, accountId, { start, end });
  const earlier = await listOverageStretches(db, subscription);
  return { totals, earlier, running: runningStretch(earlier, plan, totals.sourceDurationMs) };
}

/** Stores the price of the minutes metered so far. Runs in a transaction with the account's row locked. */
export async function endStretch(
  db: Queryable,
  subscription: Subscription,
  { earlier, running }: PeriodUsage,
): Promise<void> {
  if (running.meteredMinutes === meteredSoFar(earlier)) return;
  await insertOverageStretch(db, subscription, running);
}

/**
 * Like `endStretch`, after a time on the Free plan: its minutes cost nothing, and do not use up the
 * allowance.
 */
export async function endFreeStretch(
  db: Queryable,
  subscription: Subscription,
  { earlier, running: { meteredMinutes } }: PeriodUsage,
  endedAt: Date,
): Promise<void> {
  const free = { includedMinutes: 0, millicentsPerMinute: 0, chargeId: undefined };
  await insertEndedTerms(db, subscription, free, endedAt);
  const overageMinutes = meteredMinutes - meteredSoFar(earlier);
  if (overageMinutes === 0) return;
  await insertOverageStretch(db, subscription, { meteredMinutes, overageMinutes, ...free });
}

/**
 * Like `endStretch`, before a change of terms: jobs that completed earlier and are counted later keep their
 * terms.
 */
export async function endTerms(
  db: Queryable,
  subscription: Subscription,
  usage: PeriodUsage,
  endedAt: Date,
): Promise<void> {
  await endStretch(db, subscription, usage);
  await insertEndedTerms(db, subscription, usage.running, endedAt);
}

export function overageOf({ earlier, running }: PeriodUsage): readonly PricedOverage[] {
  return priceOverage([...earlier, running]);
}

export function unbilledOverage(usage: PeriodUsage): readonly PricedOverage[] {
  return overageOf(usage).filter(isUnbilled);
}
