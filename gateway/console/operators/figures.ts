/** An account's limits and prices in people's units: labels, what is typed, and how it is shown. */
import { formatBytes, formatMoney, formatRate } from '../src/format/format.ts';
import type { FigureRow } from './api.ts';

type Figure = FigureRow['figure'];

const CURRENCY = 'usd';
const MIB = 1_048_576;

interface Unit {
  readonly label: string;
  /** How many of the service's units make one of these. */
  readonly scale: number;
  readonly describe: (value: number) => string;
}

const count = (label: string): Unit => ({ label, scale: 1, describe: (value) => value.toLocaleString('en') });

const UNITS: Record<Figure, Unit> = {
  requestsPerMinute: count('Requests a minute'),
  concurrentJobs: count('Jobs at once'),
  monthlyMinutes: count('Minutes a month'),
  maxFileSizeBytes: {
    label: 'Largest file, in MiB',
    scale: MIB,
    describe: (value) => `${(value / MIB).toLocaleString('en')} MiB (${formatBytes(value)})`,
  },
  pricePerMonthCents: {
    label: 'Price a month, in USD',
    scale: 100,
    describe: (value) => formatMoney(value, CURRENCY),
  },
  overageMillicentsPerMinute: {
    label: 'Overage a minute, in USD',
    scale: 100_000,
    describe: (value) => formatRate(value, CURRENCY),
  },
};

export function labelOf(figure: Figure): string {
  return UNITS[figure].label;
}

export function describe(figure: Figure, value: number | null): string {
  return value === null ? 'not offered' : UNITS[figure].describe(value);
}

/** As it is typed. */
export function textOf(figure: Figure, value: number | null): string {
  return value === null ? '' : String(value / UNITS[figure].scale);
}

/** Null for an empty text, undefined for what is no figure. */
export function figureOf(figure: Figure, text: string): number | null | undefined {
  if (text === '') return null;
  if (!/^\d{1,12}(\.\d{1,6})?$/.test(text)) return undefined;
  const value = Number(text) * UNITS[figure].scale;
  // 0.07 times 100 is not 7 to the last bit.
  const whole = Math.round(value);
  return Math.abs(value - whole) < 1e-4 ? whole : undefined;
}
