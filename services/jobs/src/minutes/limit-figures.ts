/** How messages name the limits of an account. Without a figure if an earlier release saved them. */
import type { AccountLimits } from '../job.ts';

/** `60 minutes` */
export function minutesOf({ monthlyMinutes }: Pick<AccountLimits, 'monthlyMinutes'>): string {
  return monthlyMinutes === undefined ? 'minutes' : `${monthlyMinutes} minutes`;
}

/** `spend limit of $90.00` */
export function spendLimitOf({ spendLimitCents }: Pick<AccountLimits, 'spendLimitCents'>): string {
  return spendLimitCents === undefined
    ? 'spend limit'
    : `spend limit of ${DOLLARS.format(spendLimitCents / 100)}`;
}

/** Every plan is in US dollars. */
const DOLLARS = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
