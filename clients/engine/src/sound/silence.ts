/** Finds silences from the levels. */
import { endOfLevels, type Levels, SPAN_SECONDS } from './levels.ts';

export interface Silence {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Both ends of a silence are exact to half a step. */
export const LENGTH_TOLERANCE_SECONDS = SPAN_SECONDS / 2;

const LOWEST_AUTO_DBFS = -60;
const HIGHEST_AUTO_DBFS = -30;
const ABOVE_QUIET_DB = 6;
const QUIET_SHARE = 0.1;

/** 6 dB above the level that a tenth of the values do not exceed, limited to -60 to -30 dBFS. */
export function autoThreshold(values: Float32Array): number {
  if (values.length === 0) return LOWEST_AUTO_DBFS;
  const quiet = values.slice().sort()[Math.floor(QUIET_SHARE * (values.length - 1))] ?? LOWEST_AUTO_DBFS;
  return Math.min(HIGHEST_AUTO_DBFS, Math.max(LOWEST_AUTO_DBFS, quiet + ABOVE_QUIET_DB));
}

/**
 * The stretches below the threshold that last at least `minSilenceSeconds`; a stretch that covers all levels
 * counts at any length.
 *
 * A value is below the threshold only if its whole span is silent, so the true edge is up to one step outside
 * of the outermost such span. It is assumed to be half a step outside. A silence ends at both ends of
 * `levels`.
 */
export function findSilences(
  levels: Levels,
  thresholdDbfs: number,
  minSilenceSeconds: number,
): readonly Silence[] {
  const { startSeconds, stepSeconds, values } = levels;
  const silences: Silence[] = [];
  const count = values.length;
  for (let at = 0; at < count; at++) {
    if (!((values[at] ?? 0) < thresholdDbfs)) continue;
    const first = at;
    while (at + 1 < count && (values[at + 1] ?? 0) < thresholdDbfs) at += 1;
    const start = first === 0 ? startSeconds : startSeconds + (first - 0.5) * stepSeconds;
    const end =
      at === count - 1 ? endOfLevels(levels) : startSeconds + (at + 0.5) * stepSeconds + SPAN_SECONDS;
    const isAll = first === 0 && at === count - 1;
    if (isAll || isLongEnough(end - start, minSilenceSeconds))
      silences.push({ startSeconds: start, endSeconds: end });
  }
  return silences;
}

export function isLongEnough(seconds: number, minSilenceSeconds: number): boolean {
  return seconds >= minSilenceSeconds - LENGTH_TOLERANCE_SECONDS - ROUNDING_SECONDS;
}

const ROUNDING_SECONDS = 1e-9;
