/** Labels and formats of an account's limits. */
import { formatBytes } from '../src/format/format.ts';
import type { FigureRow } from './api.ts';

type Figure = FigureRow['figure'];

export const LABELS: Record<Figure, string> = {
  requestsPerMinute: 'Requests a minute',
  concurrentJobs: 'Jobs at once',
  monthlyMinutes: 'Minutes a month',
  maxFileSizeBytes: 'Largest file, in bytes',
  pricePerMonthCents: 'Price a month, in cents',
  overageMillicentsPerMinute: 'Overage a minute, in 1/1000 cent',
};

export function describe(figure: Figure, value: number | null): string {
  if (value === null) return 'not offered';
  if (figure !== 'maxFileSizeBytes') return value.toLocaleString('en');
  return `${value.toLocaleString('en')} (${formatBytes(value)})`;
}
