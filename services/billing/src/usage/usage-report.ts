/** Usage and cost of the current period, the previous one, or the one that began in a given month. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { type AccountState, accountTime, readAccountState } from '../account-state.ts';
import { FREE_PLAN, type Plan } from '../plans/plans.ts';
import { type EndedPeriod, listEndedPeriods } from '../store/subscriptions.ts';
import { sumStoredBytes, sumUsage } from '../store/usage.ts';
import type { Subscription } from '../subscription/subscription.ts';
import { sumOverage } from './overage.ts';
import { overageOf, readPeriodUsage } from './period-usage.ts';
import { billedMinutes, type UsageTotals } from './usage.ts';
import { calendarMonth, parseMonth, type UsagePeriod } from './usage-period.ts';

export interface UsageReport {
  readonly period: UsagePeriod;
  readonly totals: UsageTotals;
  readonly minutesProcessed: number;
  readonly minutesIncluded: number;
  readonly minutesOverage: number;
  readonly storedBytes: number;
  readonly baseCents: number;
  readonly overageCents: number;
}

/** A period with its allowance and cost. The Free plan costs nothing and has no overage. */
interface Terms {
  readonly period: UsagePeriod;
  readonly minutesIncluded: number;
  readonly baseCents: number;
  readonly overage:
    | { readonly kind: 'none' }
    | { readonly kind: 'running'; readonly subscription: Subscription; readonly plan: Plan }
    | { readonly kind: 'ended'; readonly minutes: number; readonly cents: number };
}

/** Throws InvalidParamsError unless `requested` is `current`, `previous` or `YYYY-MM`. */
export async function reportUsage(
  db: Queryable,
  accountId: string,
  requested: string,
  realTime: Date,
): Promise<UsageReport> {
  const state = await readAccountState(db, accountId);
  const now = accountTime(state.account, realTime);
  const terms = await termsOf(db, state, requested, now);
  const { totals, overage } = await usageUnder(db, accountId, terms);
  const storedBytes = await sumStoredBytes(db, accountId);
  return {
    period: terms.period,
    totals,
    minutesProcessed: billedMinutes(totals.sourceDurationMs),
    minutesIncluded: terms.minutesIncluded,
    minutesOverage: overage.minutes,
    storedBytes,
    baseCents: terms.baseCents,
    overageCents: overage.cents,
  };
}

async function usageUnder(db: Queryable, accountId: string, { period, overage }: Terms) {
  switch (overage.kind) {
    case 'none':
      return { totals: await sumUsage(db, accountId, period), overage: { minutes: 0, cents: 0 } };
    case 'ended':
      return { totals: await sumUsage(db, accountId, period), overage };
    case 'running': {
      const usage = await readPeriodUsage(db, overage.subscription, overage.plan);
      return { totals: usage.totals, overage: sumOverage(overageOf(usage)) };
    }
    default:
      return overage satisfies never;
  }
}

async function termsOf(db: Queryable, state: AccountState, requested: string, now: Date): Promise<Terms> {
  switch (requested) {
    case 'current':
      return currentTerms(state, now);
    case 'previous':
      return termsBefore(db, state, currentTerms(state, now).period.start);
    default: {
      const month = parseMonth(requested);
      if (month === undefined) {
        throw new InvalidParamsError('period', 'give current, previous or a month as YYYY-MM.');
      }
      return termsBegunIn(db, state, month, now);
    }
  }
}

/** The current period. */
export function currentTerms({ account, subscription, plan }: AccountState, now: Date): Terms {
  if (subscription === undefined)
    return freeTerms(plan.monthlyMinutes, freeStretch(account.usageClosedUntil, now));
  return {
    period: { start: subscription.currentPeriodStart, end: subscription.currentPeriodEnd },
    minutesIncluded: plan.monthlyMinutes,
    baseCents: subscription.baseCents,
    overage: { kind: 'running', subscription, plan },
  };
}

/** The calendar month, or the rest of it after a subscription that ended in it. */
function freeStretch(closedUntil: Date | undefined, now: Date): UsagePeriod {
  const month = calendarMonth(now);
  return closedUntil !== undefined && closedUntil > month.start && closedUntil < month.end
    ? { start: closedUntil, end: month.end }
    : month;
}

async function termsBefore(db: Queryable, state: AccountState, currentStart: Date): Promise<Terms> {
  const justBefore = new Date(currentStart.getTime() - 1);
  const month = calendarMonth(justBefore);
  const [ended] = await listEndedPeriods(db, state.account.accountId, {
    start: month.start,
    end: currentStart,
  });
  if (ended?.end.getTime() === currentStart.getTime()) return endedTerms(ended);
  const start = ended === undefined || ended.end < month.start ? month.start : ended.end;
  return freeTerms(freeMinutes(state), { start, end: currentStart });
}

/** The last paid period that began in the month; without one, the part of the month on the Free plan. */
async function termsBegunIn(
  db: Queryable,
  state: AccountState,
  month: UsagePeriod,
  now: Date,
): Promise<Terms> {
  const { subscription } = state;
  if (subscription !== undefined && isWithin(subscription.currentPeriodStart, month)) {
    return currentTerms(state, now);
  }
  if (subscription !== undefined && subscription.currentPeriodStart < month.start) {
    // A future month: the part that lies in the current period belongs to that period.
    const { currentPeriodEnd } = subscription;
    const start = currentPeriodEnd > month.start ? currentPeriodEnd : month.start;
    return freeTerms(freeMinutes(state), { start, end: month.end });
  }
  const ended = await listEndedPeriods(db, state.account.accountId, month);
  const begun = ended.find((period) => isWithin(period.start, month));
  if (begun !== undefined) return endedTerms(begun);
  const start = ended[0] === undefined || ended[0].end > month.end ? month.start : ended[0].end;
  return freeTerms(freeMinutes(state), { start, end: month.end });
}

function endedTerms(ended: EndedPeriod): Terms {
  return {
    period: { start: ended.start, end: ended.end },
    minutesIncluded: ended.includedMinutes,
    baseCents: ended.baseCents,
    overage: { kind: 'ended', minutes: ended.overageMinutes, cents: ended.overageCents },
  };
}

function freeTerms(minutesIncluded: number, period: UsagePeriod): Terms {
  return {
    period,
    minutesIncluded,
    baseCents: 0,
    overage: { kind: 'none' },
  };
}

function freeMinutes({ account, subscription, plan }: AccountState): number {
  if (subscription === undefined) return plan.monthlyMinutes;
  return account.overrides.monthlyMinutes ?? FREE_PLAN.monthlyMinutes;
}

function isWithin(time: Date, { start, end }: UsagePeriod): boolean {
  return time >= start && time < end;
}
