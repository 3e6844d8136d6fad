import type { UsagePeriod } from '../usage/usage-period.ts';

/**
 * The `number`-th period (from 0) of a subscription that began at `anchor`: a month, beginning on the anchor's day and
 * time of day in UTC, or on the last day of a month that has no such day.
 */
export function subscriptionPeriod(anchor: Date, number: number): UsagePeriod {
  return { start: monthsAfter(anchor, number), end: monthsAfter(anchor, number + 1) };
}

function monthsAfter(anchor: Date, months: number): Date {
  const month = anchor.getUTCMonth() + months;
  const lastDay = new Date(Date.UTC(anchor.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const timeOfDayMs = anchor.getTime() % 86_400_000;
  const day = Math.min(anchor.getUTCDate(), lastDay);
  return new Date(Date.UTC(anchor.getUTCFullYear(), month, day) + timeOfDayMs);
}
