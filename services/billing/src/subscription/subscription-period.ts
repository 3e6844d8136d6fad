import type { UsagePeriod } from '../usage/usage-period.ts';

/**
 * The `number`-th period (from 0) of a subscription that began at `anchor`: one month from the anchor's day and time
 * of day to the next, in UTC. A month without that day takes its last one; the day comes back where there is one.
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
