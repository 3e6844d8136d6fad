/**
 * How many samples to put into a segment so that its file comes close to a byte limit and never above,
 * where only encoding tells the size.
 *
 * A search by secants within a bracket: sizes grow nearly in proportion to the samples, so with the segment
 * before as a guide one or two attempts reach 98% of the limit. Where a secant leaves the bracket (sizes
 * that move in steps, a first guess that is far off) the bracket is halved instead. It only ever narrows, so
 * the search ends; the figure that is handed out has always been measured.
 */
import { withoutSliver } from '../plan.ts';

/** Where an attempt aims: below the limit by what two encodings of slightly different ends may differ. */
const AIM = 0.99;
/** Good enough to stop at once. */
const GOOD_FILL = 0.98;
/** Good enough to stop after a few attempts. */
const FAIR_FILL = 0.9;
const FEW_ATTEMPTS = 5;
const MAX_ATTEMPTS = 12;
/** With nothing that fits yet, the search goes on for as long as there is something left to halve. */
const MAX_SHRINKS = 40;

export interface SizeFit {
  readonly limitBytes: number;
  readonly remainingSamples: number;
  readonly sampleRateHz: number;
  /** From the segment before, or a first guess. */
  readonly estimatedSamples: number;
  /** Encodes that many samples from the segment's start and tells the file's size. */
  readonly measure: (sampleCount: number) => Promise<number>;
}

interface Point {
  readonly count: number;
  readonly size: number;
}

/** The largest sample count found that fits; 0 where not even the shortest try does. */
export async function fitSamples(fit: SizeFit): Promise<number> {
  const { limitBytes, remainingSamples } = fit;
  let fits: Point = { count: 0, size: 0 };
  let tooMany = remainingSamples + 1;
  let before: Point = fits;
  let wanted = fit.estimatedSamples;
  for (let attempt = 1; attempt <= MAX_SHRINKS; attempt += 1) {
    const count = nextCount(fit, wanted, fits.count, tooMany);
    if (count === undefined) break;
    const point = { count, size: await fit.measure(count) };
    if (point.size <= limitBytes) fits = point;
    else tooMany = count;
    if (fits.count === remainingSamples) break;
    const patience =
      fits.size >= GOOD_FILL * limitBytes
        ? 1
        : fits.size >= FAIR_FILL * limitBytes
          ? FEW_ATTEMPTS
          : MAX_ATTEMPTS;
    if (fits.count > 0 && attempt >= patience) break;
    const slope = (point.size - before.size) / (point.count - before.count);
    wanted = slope > 0 ? Math.floor(point.count + (AIM * limitBytes - point.size) / slope) : Number.NaN;
    before = point;
  }
  return fits.count;
}

/** A count strictly inside the bracket, or undefined where none is left. */
function nextCount(fit: SizeFit, wanted: number, fits: number, tooMany: number): number | undefined {
  if (fits + 1 >= tooMany) return undefined;
  const all = fit.remainingSamples;
  const inside = (count: number): boolean => count > fits && count < tooMany;
  const chosen = inside(wanted)
    ? wanted
    : wanted > all && inside(all)
      ? all
      : Math.ceil((fits + tooMany) / 2);
  const count = withoutSliver(chosen, all, fit.sampleRateHz);
  return inside(count) ? count : chosen;
}
