/** Amounts are integers in cents. Fractions exist only inside these functions. */

/** `numerator / denominator`, halves rounded up. Both are integers, the denominator above 0. */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  const doubled = 2n * numerator + denominator;
  const quotient = doubled / (2n * denominator);
  const isBelow = doubled < 0n && quotient * 2n * denominator !== doubled;
  return isBelow ? quotient - 1n : quotient;
}

const MILLICENTS_PER_CENT = 1_000n;

/** The price of minutes beyond the included ones, in cents; 0 if the plan has no overage. */
export function overageCents(overageMinutes: number, millicentsPerMinute: number | undefined): number {
  if (millicentsPerMinute === undefined) return 0;
  return Number(divideHalfUp(BigInt(overageMinutes) * BigInt(millicentsPerMinute), MILLICENTS_PER_CENT));
}

/** The charge for an upgrade within a period, in cents: the price difference for the remaining whole seconds. */
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

/** For display: `$0.008`. */
export function formatRate(millicents: number, currency: string): string {
  return new Intl.NumberFormat('en-US', {
    style: 'currency',
    currency: currency.toUpperCase(),
    maximumFractionDigits: 5,
  }).format(millicents / MILLICENTS_PER_DOLLAR);
}

/** For display: `$49.00`. */
export function formatMoney(cents: number, currency: string): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency: currency.toUpperCase() }).format(
    cents / 100,
  );
}
