/** Where to move a cut so that it spares words: backward, into a silence, or to the quietest place. */
import type { SilenceThreshold } from '@audiosplit/cuts/cut-request';
import { endOfLevels, type Levels, levelsWithin, SPAN_SECONDS } from './levels.ts';
import { autoThreshold, findSilences, type Silence } from './silence.ts';

interface SnapRequest {
  /** The place of the cut without a move. */
  readonly targetSeconds: number;
  /** The cut is not moved further back. */
  readonly earliestSeconds: number;
  readonly threshold: SilenceThreshold;
  readonly minSilenceSeconds: number;
}

export interface Snap {
  readonly seconds: number;
  readonly how: 'silence' | 'quietest' | 'exact';
}

/** Values that are closer together count as one level: there is nothing to choose. */
const ONE_LEVEL_DB = 3;
/** So do values that are all below this. */
const INAUDIBLE_DBFS = -90;
const EQUAL_LENGTH_SECONDS = 0.02;
const QUIETEST_SECONDS = 0.1;

/** `levels` may extend beyond [earliest, target]; only values within count. */
export function chooseSnap(levels: Levels, request: SnapRequest): Snap {
  const { targetSeconds, earliestSeconds, threshold, minSilenceSeconds } = request;
  const exact: Snap = { seconds: targetSeconds, how: 'exact' };
  const window = levelsWithin(levels, earliestSeconds, targetSeconds);
  if (window.values.length === 0 || isOneLevel(window.values)) return exact;
  const thresholdDbfs = threshold === 'auto' ? autoThreshold(window.values) : threshold;
  const windowEnd = endOfLevels(window);
  // A window that the middle of the segment or a cap has shortened may have no room for a silence.
  const isTooShort = targetSeconds - earliestSeconds < minSilenceSeconds - ROUNDING_SECONDS;
  const silences = isTooShort ? [] : findSilences(window, thresholdDbfs, minSilenceSeconds);
  const silence = longest(silences);
  if (silence !== undefined) {
    // A silence at an end of the values extends to that end of the window.
    const start = silence.startSeconds === window.startSeconds ? earliestSeconds : silence.startSeconds;
    const end = silence.endSeconds === windowEnd ? targetSeconds : silence.endSeconds;
    return { seconds: within((start + end) / 2, request), how: 'silence' };
  }
  return { seconds: within(middleOfQuietest(window), request), how: 'quietest' };
}

function isOneLevel(values: Float32Array): boolean {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
  }
  return highest < INAUDIBLE_DBFS || highest - lowest <= ONE_LEVEL_DB;
}

/** The latest of those that are about as long as the longest. */
function longest(silences: readonly Silence[]): Silence | undefined {
  const most = Math.max(...silences.map(lengthOf));
  return silences.findLast((silence) => lengthOf(silence) >= most - EQUAL_LENGTH_SECONDS - ROUNDING_SECONDS);
}

function lengthOf({ startSeconds, endSeconds }: Silence): number {
  return endSeconds - startSeconds;
}

/** The latest of equally quiet places. */
function middleOfQuietest({ startSeconds, stepSeconds, values }: Levels): number {
  const spans = Math.min(values.length, Math.round((QUIETEST_SECONDS - SPAN_SECONDS) / stepSeconds) + 1);
  const powers = Float64Array.from(values, (value) => 10 ** (value / 10));
  let quietest = { first: 0, power: Number.POSITIVE_INFINITY };
  for (let first = 0; first + spans <= powers.length; first++) {
    let power = 0;
    for (let at = first; at < first + spans; at++) power += powers[at] ?? 0;
    if (power <= quietest.power) quietest = { first, power };
  }
  const lengthSeconds = (spans - 1) * stepSeconds + SPAN_SECONDS;
  return startSeconds + quietest.first * stepSeconds + lengthSeconds / 2;
}

function within(seconds: number, { targetSeconds, earliestSeconds }: SnapRequest): number {
  return Math.min(targetSeconds, Math.max(earliestSeconds, seconds));
}

const ROUNDING_SECONDS = 1e-9;
