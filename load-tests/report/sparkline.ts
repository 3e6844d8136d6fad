import { escapeHtml } from './escape.ts';
import { round } from './plot.ts';

const SPARK = { width: 116, height: 30 } as const;

export interface Sparkline {
  /** What it shows, for who points at it or has it read aloud. */
  readonly title: string;
  /** At even distances; the line breaks where one is no number. */
  readonly ys: readonly number[];
  /** Of the vertical axis, which begins at 0. */
  readonly max: number;
  /** Shares of the width that are shaded. */
  readonly bands: readonly (readonly [from: number, to: number])[];
}

/** A plot as small as a word. */
export function sparkline({ title, ys, max, bands }: Sparkline): string {
  const { width, height } = SPARK;
  const behind = bands.map(
    ([from, to]) =>
      `<rect class="band" x="${round(from * width)}" width="${round((to - from) * width)}" y="0" height="${height}"/>`,
  );
  let isDrawing = false;
  const path = ys.map((y, n) => {
    const isDrawn = Number.isFinite(y);
    const command = isDrawing ? 'L' : 'M';
    isDrawing = isDrawn;
    if (!isDrawn) return '';
    const x = ((n + 0.5) / ys.length) * width;
    return `${command}${round(x)} ${round(1 + (height - 2) * (1 - y / (max || 1)))}`;
  });
  return `<svg class="spark" viewBox="0 0 ${width} ${height}" role="img"><title>${escapeHtml(title)}</title>${behind.join('')}<path class="line blue" d="${path.join('')}"/></svg>`;
}
