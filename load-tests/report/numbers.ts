import type { Results } from '../runner/results.ts';

export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** Formats a fraction: .2 is 20 %. */
export function formatPercent(share: number): string {
  return Number.isFinite(share) ? `${(share * 100).toFixed(1)} %` : '–';
}

/** The length of the load compared with the profile's full length: half an hour of soak is not two hours. */
export function lengthOf({ minutes, fullMinutes }: Pick<Results, 'minutes' | 'fullMinutes'>): string {
  const length = `${formatNumber(minutes)} min`;
  return minutes === fullMinutes
    ? `${length}, the profile's full length`
    : `${length}, ${formatNumber(Math.round((minutes / fullMinutes) * 100))} % of the profile's full ${formatNumber(fullMinutes)} min`;
}
