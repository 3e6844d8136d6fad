import { formatNumber, ticksUpTo } from './axis.ts';
import { escapeHtml } from './escape.ts';
import { figure, INNER_WIDTH, type LegendEntry, PLOT, round, yOf } from './plot.ts';

export interface Bar {
  readonly name: string;
  /** From the bottom up, one for each entry of the legend. */
  readonly values: readonly number[];
  /** Pale: not to be held against the others. */
  readonly isPartial?: boolean;
}

export interface BarChart {
  readonly title: string;
  readonly note?: string;
  readonly yUnit: string;
  readonly xUnit: string;
  readonly legend: readonly LegendEntry[];
  readonly bars: readonly Bar[];
  /** A line across all bars. */
  readonly mark?: { readonly value: number; readonly name: string };
}

const MOST_BAR_WIDTH = 72;
const GAP = 2;

/** Stacked; the lowest part of each bar is written on it. */
export function barChart({ title, note, yUnit, xUnit, legend, bars, mark }: BarChart): string {
  const totals = bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0));
  const yTicks = ticksUpTo(Math.max(mark?.value ?? 0, ...totals));
  const yMax = yTicks.at(-1) ?? 1;
  const slot = INNER_WIDTH / Math.max(1, bars.length);
  const width = Math.min(MOST_BAR_WIDTH, slot * 0.7);
  const centreOf = (n: number) => PLOT.left + (n + 0.5) * slot;
  const drawn = bars.map(({ name, values, isPartial = false }, n) => {
    let below = 0;
    const parts = values.map((value, part) => {
      const { name: kind = '', colour = '' } = legend[part] ?? {};
      const top = yOf(below + value, yMax);
      const height = yOf(below, yMax) - top;
      below += value;
      if (value === 0) return '';
      return `<rect class="bar ${colour}${isPartial ? ' partial' : ''}" x="${round(centreOf(n) - width / 2)}" width="${round(width)}" y="${round(top)}" height="${round(Math.max(1, height - GAP))}"><title>${escapeHtml(`${name}: ${kind} ${formatNumber(value)}`)}</title></rect>`;
    });
    const lowest = values[0] ?? 0;
    const label = `<text class="on-bar" x="${round(centreOf(n))}" y="${round(yOf(lowest, yMax) - 5)}" text-anchor="middle">${formatNumber(lowest)}</text>`;
    return parts.join('') + label;
  });
  const line =
    mark === undefined
      ? ''
      : `<line class="mark" x1="${PLOT.left}" x2="${PLOT.width - PLOT.right}" y1="${round(yOf(mark.value, yMax))}" y2="${round(yOf(mark.value, yMax))}"><title>${escapeHtml(mark.name)}</title></line>`;
  return figure({
    title,
    ...(note === undefined ? {} : { note }),
    yUnit,
    xUnit,
    legend,
    yTicks,
    xTicks: bars.map(({ name }, n) => ({ x: centreOf(n), text: name })),
    marks: drawn.join('\n') + line,
  });
}
