import type { Results } from '../runner/results.ts';
import { formatNumber } from './numbers.ts';

/** How long the load was, beside what the profile means by its name: half an hour of soak is not two. */
export function lengthOf({ minutes, fullMinutes }: Pick<Results, 'minutes' | 'fullMinutes'>): string {
  const length = `${formatNumber(minutes)} min`;
  return minutes === fullMinutes
    ? `${length}, the profile's full length`
    : `${length}, ${formatNumber(Math.round((minutes / fullMinutes) * 100))} % of the profile's full ${formatNumber(fullMinutes)} min`;
}
