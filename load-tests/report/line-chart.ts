import { formatNumber, ticksUpTo } from './axis.ts';
import { escapeHtml } from './escape.ts';
import { figure, INNER_HEIGHT, INNER_WIDTH, type LegendEntry, PLOT, round, yOf } from './plot.ts';

export interface LineSeries extends LegendEntry {
  /** As many as there are `xs`; the line breaks where one is no number. */
  readonly ys: readonly number[];
}

export interface LineChart {
  readonly title: string;
  readonly note?: string;
  readonly yUnit: string;
  readonly xUnit: string;
  /** Ascending. */
  readonly xs: readonly number[];
  readonly series: readonly LineSeries[];
  /** Drawn behind the lines. */
  readonly bands?: readonly { readonly from: number; readonly to: number }[];
}

/** From 0 on both axes, so that distances can be compared by eye. */
export function lineChart({ title, note, yUnit, xUnit, xs, series, bands = [] }: LineChart): string {
  const xTicks = ticksUpTo(Math.max(xs.at(-1) ?? 0, ...bands.map(({ to }) => to)), 8);
  const xMax = xTicks.at(-1) ?? 1;
  const finite = series.flatMap(({ ys }) => ys.filter(Number.isFinite));
  const yTicks = ticksUpTo(finite.reduce((most, y) => Math.max(most, y), 0));
  const yMax = yTicks.at(-1) ?? 1;
  const xOf = (x: number) => PLOT.left + (x / xMax) * INNER_WIDTH;
  const behind = bands.map(
    ({ from, to }) =>
      `<rect class="band" x="${round(xOf(from))}" width="${round(xOf(to) - xOf(from))}" y="${PLOT.top}" height="${INNER_HEIGHT}"/>`,
  );
  const lines = series.map(({ colour, ys }) => `<path class="line ${colour}" d="${pathOf(xs, ys)}"/>`);
  // One column of a pixel or more for each x says its values to whoever points at it.
  const columnWidth = Math.max(1, INNER_WIDTH / Math.max(1, xs.length));
  const columns = xs.map((x, n) => {
    const values = series.map(({ name, ys }) => `${name} ${formatNumber(ys[n] ?? Number.NaN)}`);
    const text = `${x} ${xUnit}: ${values.join(', ')} ${yUnit}`;
    return `<rect class="hover" x="${round(xOf(x) - columnWidth / 2)}" width="${round(columnWidth)}" y="${PLOT.top}" height="${INNER_HEIGHT}"><title>${escapeHtml(text)}</title></rect>`;
  });
  return figure({
    title,
    ...(note === undefined ? {} : { note }),
    yUnit,
    xUnit,
    legend: series,
    yTicks,
    xTicks: xTicks.map((tick) => ({ x: xOf(tick), text: formatNumber(tick) })),
    marks: [...behind, ...lines, ...columns].join('\n'),
  });

  function pathOf(horizontal: readonly number[], vertical: readonly number[]): string {
    let isDrawing = false;
    return horizontal
      .map((x, n) => {
        const y = vertical[n] ?? Number.NaN;
        if (!Number.isFinite(y)) {
          isDrawing = false;
          return '';
        }
        const command = isDrawing ? 'L' : 'M';
        isDrawing = true;
        return `${command}${round(xOf(x))} ${round(yOf(y, yMax))}`;
      })
      .join('');
  }
}
