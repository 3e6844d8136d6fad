/**
 * Planned pieces as passes over the source. In one pass the routes cut at a list of borders, in order and without overlap,
 * and what lies between two pieces is a segment that is not wanted. Pieces that overlap, or come out of order, are
 * spread over several passes: each goes to the first pass that has ended before it begins.
 */
import { MediaError } from '../../media-error.ts';
import {
  type Borders,
  type CutRule,
  MAX_TAG_BYTES,
  type SegmentBounds,
  type SegmentChoice,
} from '../cut-rule.ts';
import { contentSeconds, type Piece } from './piece.ts';

export interface Pass {
  /** One segment after the other, from the source's beginning on: up to its end in seconds; the last ends with the source. */
  readonly ends: readonly number[];
  /** Up to the end of the last wanted segment: behind it the source is not read. */
  readonly walkedSeconds: number;
  /** Which piece a segment is, as an index into the plan; undefined where it is not wanted. */
  readonly pieceOf: (index: number) => number | undefined;
}

/** Borders closer than that are one: less than a sample at any rate. */
const SAME_SECONDS = 1e-6;

const MAX_WHOLE_PASSES = 16;

/** `isDone`: by the index of a piece; those are left out. */
export function planPasses(
  pieces: readonly Piece[],
  totalSeconds: number,
  isDone: (index: number) => boolean = () => false,
): Pass[] {
  const order = pieces
    .map((piece, index) => ({ ...piece, index }))
    .filter(({ index }) => !isDone(index))
    .sort((a, b) => a.startSeconds - b.startSeconds || a.index - b.index);
  const passes: { endSeconds: number; readonly taken: typeof order }[] = [];
  for (const piece of order) {
    const free = passes.find(({ endSeconds }) => endSeconds <= piece.startSeconds + SAME_SECONDS);
    if (free === undefined) passes.push({ endSeconds: piece.endSeconds, taken: [piece] });
    else {
      free.endSeconds = piece.endSeconds;
      free.taken.push(piece);
    }
  }
  return passes.map(({ taken }) => toPass(taken, totalSeconds));
}

/**
 * Throws TOO_MUCH_OVERLAP where passes would cost out of proportion: sixteen may each go over the whole source, and those
 * beyond them together over no more than the pieces last. So a job costs at most a fixed multiple of what it is charged for
 * and of its source.
 */
export function refuseManyPasses(pieces: readonly Piece[], totalSeconds: number): void {
  const passes = planPasses(pieces, totalSeconds);
  const walked = passes.map(({ walkedSeconds }) => walkedSeconds).sort((a, b) => b - a);
  const beyondSeconds = sumOf(walked.slice(MAX_WHOLE_PASSES));
  if (beyondSeconds <= sumOf(pieces.map(contentSeconds)) + SAME_SECONDS) return;
  throw new MediaError(
    'TOO_MUCH_OVERLAP',
    `The ranges overlap so much that the source would be read ${passes.length} times. Up to ${MAX_WHOLE_PASSES} segments may overlap at one moment anywhere.`,
  );
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function toPass(taken: readonly (Piece & { readonly index: number })[], totalSeconds: number): Pass {
  const ends: number[] = [];
  const wanted = new Map<number, number>();
  let position = 0;
  for (const { startSeconds, endSeconds, index } of taken) {
    if (startSeconds > position + SAME_SECONDS) ends.push(startSeconds);
    wanted.set(ends.length, index);
    ends.push(endSeconds);
    position = endSeconds;
  }
  const walkedSeconds = position;
  if (position < totalSeconds - SAME_SECONDS) ends.push(totalSeconds);
  return { ends, walkedSeconds, pieceOf: (index) => wanted.get(index) };
}

export interface PassLimits {
  /** A wanted segment that is larger is an error of the plan. */
  readonly maxSegmentBytes?: number | undefined;
  readonly maxTagBytes?: number | undefined;
  /** Behind the last wanted segment as well: for its length. */
  readonly isReadToEnd?: boolean;
}

export function cutByPass(
  { ends, pieceOf }: Pass,
  {
    maxSegmentBytes = Number.POSITIVE_INFINITY,
    maxTagBytes = MAX_TAG_BYTES,
    isReadToEnd = false,
  }: PassLimits = {},
): CutRule {
  const wantedIndexes = [...ends.keys()].filter((index) => pieceOf(index) !== undefined);
  const choice: SegmentChoice = {
    isWanted: (index) => pieceOf(index) !== undefined,
    lastIndex: isReadToEnd
      ? Number.POSITIVE_INFINITY
      : wantedIndexes.reduce((last, index) => Math.max(last, index), -1),
  };
  const maxSegmentSeconds = ends.reduce((most, end, n) => Math.max(most, end - (ends[n - 1] ?? 0)), 0);
  return {
    isTimed: true,
    endSample: (sampleRateHz, index) => toSample(ends, sampleRateHz, index),
    minRemainderSamples: () => 1,
    maxSegmentSeconds,
    maxSegmentBytes,
    maxTagBytes,
    choice,
    borders: (sampleRateHz) => listedBorders(ends, sampleRateHz),
  };
}

/** The last segment ends where the source does, whatever its planned end rounds to. */
function toSample(ends: readonly number[], sampleRateHz: number, index: number): number {
  const end = ends[index];
  return end === undefined || index === ends.length - 1
    ? Number.POSITIVE_INFINITY
    : Math.round(end * sampleRateHz);
}

/** Beyond the planned end, where a header's length was some samples off. */
const SLACK_SECONDS = 1;

function listedBorders(ends: readonly number[], sampleRateHz: number): Borders {
  const borders = ends.map((end) => Math.round(end * sampleRateHz));
  const interior = borders.slice(0, -1);
  const longest = borders.reduce((most, border, n) => Math.max(most, border - (borders[n - 1] ?? 0)), 0);
  return {
    sampleRateHz,
    maxSourceSamples: Number.POSITIVE_INFINITY,
    longestSegmentSamples: longest + 1,
    boundsFrom(startSample) {
      const border = nextAbove(interior, startSample);
      if (border === undefined) return lastBounds(startSample);
      return {
        surelyUpTo: border,
        settledAt: border + 1,
        nominalEnd: border,
        latestEnd: border,
        endWithin: (total) => Math.min(total, border),
      };
    },
  };

  /** The last segment ends with the source. */
  function lastBounds(startSample: number): SegmentBounds {
    const slack = SLACK_SECONDS * sampleRateHz;
    const nominalEnd = Math.max(borders.at(-1) ?? 0, startSample + slack);
    return {
      surelyUpTo: nominalEnd - slack,
      settledAt: Number.POSITIVE_INFINITY,
      nominalEnd,
      latestEnd: nominalEnd + slack,
      endWithin: (total) => total,
    };
  }
}

function nextAbove(sorted: readonly number[], value: number): number | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return sorted[low];
}
