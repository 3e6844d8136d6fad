/** Amounts are integers of the smallest unit (cents); fractions exist only inside these functions. */

/** `numerator / denominator`, halves rounded up. Both are integers, the denominator above 0. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  const doubled = 2n * numerator + denominator;
  const quotient = doubled / (2n * denominator);
  const isBelow = doubled < 0n && quotient * 2n * denominator !== doubled;
  return isBelow ? quotient - 1n : quotient;
}

const MILLICENTS_PER_CENT = 1_000n;

/** What minutes beyond the included ones cost, in cents; 0 where the plan knows no overage. */
export function overageCents(overageMinutes: number, millicentsPerMinute: number | undefined): number {
  if (millicentsPerMinute === undefined) return 0;
  return Number(divideHalfUp(BigInt(overageMinutes) * BigInt(millicentsPerMinute), MILLICENTS_PER_CENT));
}

/**
 * The charge for moving to a dearer plan within a period, in cents: the difference of the prices for the share of the
 * period that is left, in whole seconds.
 */
export function prorationCents(
  prices: { readonly oldCents: number; readonly newCents: number },
  period: { readonly start: Date; readonly end: Date },
  now: Date,
): number {
  const secondsLeft = Math.max(0, Math.floor((period.end.getTime() - now.getTime()) / 1000));
  const periodSeconds = Math.round((period.end.getTime() - period.start.getTime()) / 1000);
  const difference = BigInt(prices.newCents - prices.oldCents);
  return Number(divideHalfUp(difference * BigInt(secondsLeft), BigInt(periodSeconds)));
}

const MILLICENTS_PER_DOLLAR = 100_000;

/** `$0.008`, for people. */
export function formatRate(millicents: number, currency: string): string {
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: currency.toUpperCase(),
    maximumFractionDigits: 5,
  }).format(millicents / MILLICENTS_PER_DOLLAR);
}

/** `$49.00`, for people. */
export function formatMoney(cents: number, currency: string): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() }).format(
    cents / 100,
  );
}
