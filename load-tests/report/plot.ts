/** The frame that every plot has: margins, a grid of horizontal lines, and titles by which it can be read aloud. */
import { formatNumber } from './axis.ts';
import { escapeHtml } from './escape.ts';

export const PLOT = { width: 760, height: 230, left: 56, right: 16, top: 12, bottom: 34 } as const;
export const INNER_WIDTH = PLOT.width - PLOT.left - PLOT.right;
export const INNER_HEIGHT = PLOT.height - PLOT.top - PLOT.bottom;

export interface LegendEntry {
  readonly name: string;
  /** A class of style.ts. */
  readonly colour: string;
}

/** Pixels from the top for a value between 0 and `max`. */
export function yOf(value: number, max: number): number {
  return PLOT.top + INNER_HEIGHT * (1 - value / max);
}

export function round(pixels: number): string {
  return String(Math.round(pixels * 10) / 10);
}

export function figure(options: {
  readonly title: string;
  readonly note?: string;
  readonly yUnit: string;
  readonly xUnit: string;
  readonly legend: readonly LegendEntry[];
  readonly yTicks: readonly number[];
  readonly xTicks: readonly { readonly x: number; readonly text: string }[];
  readonly marks: string;
}): string {
  const { title, note, yUnit, xUnit, legend, yTicks, xTicks, marks } = options;
  const max = yTicks.at(-1) ?? 1;
  const grid = yTicks.map((tick) => {
    const y = round(yOf(tick, max));
    return `<line class="grid" x1="${PLOT.left}" x2="${PLOT.width - PLOT.right}" y1="${y}" y2="${y}"/><text class="tick" x="${PLOT.left - 6}" y="${y}" dy=".32em" text-anchor="end">${formatNumber(tick)}</text>`;
  });
  const below = xTicks.map(
    ({ x, text }) =>
      `<text class="tick" x="${round(x)}" y="${PLOT.height - PLOT.bottom + 16}" text-anchor="middle">${escapeHtml(text)}</text>`,
  );
  const entries =
    legend.length < 2
      ? ''
      : `<ul class="legend">${legend.map(({ name, colour }) => `<li><span class="swatch ${colour}"></span>${escapeHtml(name)}</li>`).join('')}</ul>`;
  return `<figure>
<figcaption><h3>${escapeHtml(title)} <small>${escapeHtml(yUnit)}</small></h3>${note === undefined ? '' : `<p>${escapeHtml(note)}</p>`}${entries}</figcaption>
<svg viewBox="0 0 ${PLOT.width} ${PLOT.height}" role="img" aria-label="${escapeHtml(title)}">
${grid.join('')}${below.join('')}<text class="tick" x="${PLOT.width - PLOT.right}" y="${PLOT.height - 4}" text-anchor="end">${escapeHtml(xUnit)}</text>
${marks}
</svg>
</figure>`;
}
