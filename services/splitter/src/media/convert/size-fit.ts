/**
 * How many samples to put into a segment so that its file comes close to a byte limit and never above,
 * where only encoding tells the size.
 *
 * A search by secant between what is known to fit and what is known not to: sizes grow nearly in proportion
 * to the samples, so two or three attempts reach 98% of the limit. The bracket only ever narrows, so the
 * search ends; the figure that is handed out has always been measured.
 */
import { withoutSliver } from '../plan.ts';

/** Where an attempt aims: below the limit by what two encodings of slightly different ends may differ. */
const AIM = 0.99;
/** A segment at least this full is good enough. */
const GOOD_FILL = 0.98;
const MAX_ATTEMPTS = 6;
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

/** The largest sample count found that fits; 0 where not even the shortest try does. */
export async function fitSamples(fit: SizeFit): Promise<number> {
  const { limitBytes, remainingSamples } = fit;
  let fits = 0;
  let tooMany = Number.POSITIVE_INFINITY;
  let next = fit.estimatedSamples;
  for (let attempt = 1; attempt <= MAX_SHRINKS; attempt += 1) {
    const count = clampToBracket(fit, next, fits, tooMany);
    if (count === undefined) return fits;
    const size = await fit.measure(count);
    if (size <= limitBytes) {
      fits = count;
      if (count === remainingSamples || size >= GOOD_FILL * limitBytes) return fits;
    } else {
      tooMany = count;
    }
    if (attempt >= MAX_ATTEMPTS && fits > 0) return fits;
    next = Math.floor((count * limitBytes * AIM) / size);
  }
  return fits;
}

/** A count strictly inside the bracket, or undefined where none is left. */
function clampToBracket(fit: SizeFit, wanted: number, fits: number, tooMany: number): number | undefined {
  const highest = Math.min(fit.remainingSamples, tooMany - 1);
  if (highest <= fits) return undefined;
  const clamped = Math.min(highest, Math.max(fits + 1, wanted));
  const count = withoutSliver(clamped, fit.remainingSamples, fit.sampleRateHz);
  return count > fits && count < tooMany ? count : clamped;
}
