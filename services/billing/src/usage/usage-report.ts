/** Usage and cost of the current period, the previous one, or the one that began in a given month. */
import { InvalidParamsError } from '@audiosplit/chassis/errors';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { FREE_PLAN } from '../plans/plans.ts';
import { type EndedPeriod, listEndedPeriods } from '../store/subscriptions.ts';
import { sumStoredBytes, sumUsage } from '../store/usage.ts';
import { type CurrentUsage, readCurrentUsage } from './current-usage.ts';
import { sumOverage } from './overage.ts';
import { overageOf, type PeriodUsage } from './period-usage.ts';
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
    | { readonly kind: 'running'; readonly usage: PeriodUsage }
    | { readonly kind: 'ended'; readonly minutes: number; readonly cents: number };
}

/** Throws InvalidParamsError unless `requested` is `current`, `previous` or `YYYY-MM`. */
export async function reportUsage(
  db: Queryable,
  accountId: string,
  requested: string,
  realTime: Date,
): Promise<UsageReport> {
  const current = await readCurrentUsage(db, accountId, realTime);
  const terms = await termsOf(db, current, requested);
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
    case 'running':
      return { totals: overage.usage.totals, overage: sumOverage(overageOf(overage.usage)) };
    default:
      return overage satisfies never;
  }
}

async function termsOf(db: Queryable, current: CurrentUsage, requested: string): Promise<Terms> {
  switch (requested) {
    case 'current':
      return currentTerms(current);
    case 'previous':
      return termsBefore(db, current);
    default: {
      const month = parseMonth(requested);
      if (month === undefined) {
        throw new InvalidParamsError('period', 'give current, previous or a month as YYYY-MM.');
      }
      return termsBegunIn(db, current, month);
    }
  }
}

function currentTerms({ subscription, plan, period, usage }: CurrentUsage): Terms {
  if (subscription === undefined) return freeTerms(plan.monthlyMinutes, period);
  return {
    period,
    minutesIncluded: plan.monthlyMinutes,
    baseCents: subscription.baseCents,
    overage: { kind: 'running', usage },
  };
}

async function termsBefore(db: Queryable, current: CurrentUsage): Promise<Terms> {
  const currentStart = current.period.start;
  const justBefore = new Date(currentStart.getTime() - 1);
  const month = calendarMonth(justBefore);
  const [ended] = await listEndedPeriods(db, current.account.accountId, {
    start: month.start,
    end: currentStart,
  });
  if (ended?.end.getTime() === currentStart.getTime()) return endedTerms(ended);
  const start = ended === undefined || ended.end < month.start ? month.start : ended.end;
  return freeTerms(freeMinutes(current), { start, end: currentStart });
}

/** The last paid period that began in the month; without one, the part of the month on the Free plan. */
async function termsBegunIn(db: Queryable, current: CurrentUsage, month: UsagePeriod): Promise<Terms> {
  const { account, subscription } = current;
  if (subscription !== undefined && isWithin(subscription.currentPeriodStart, month)) {
    return currentTerms(current);
  }
  if (subscription !== undefined && subscription.currentPeriodStart < month.start) {
    // A future month: the part that lies in the current period belongs to that period.
    const { currentPeriodEnd } = subscription;
    const start = currentPeriodEnd > month.start ? currentPeriodEnd : month.start;
    return freeTerms(freeMinutes(current), { start, end: month.end });
  }
  const ended = await listEndedPeriods(db, account.accountId, month);
  const begun = ended.find((period) => isWithin(period.start, month));
  if (begun !== undefined) return endedTerms(begun);
  const start = ended[0] === undefined || ended[0].end > month.end ? month.start : ended[0].end;
  return freeTerms(freeMinutes(current), { start, end: month.end });
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

function freeMinutes({ account, subscription, plan }: CurrentUsage): number {
  if (subscription === undefined) return plan.monthlyMinutes;
  return account.overrides.monthlyMinutes ?? FREE_PLAN.monthlyMinutes;
}

function isWithin(time: Date, { start, end }: UsagePeriod): boolean {
  return time >= start && time < end;
}
