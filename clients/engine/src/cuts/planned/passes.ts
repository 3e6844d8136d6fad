/**
 * Planned pieces as passes over the source. In one pass the routes cut at a list of borders, in order and
 * without overlap; a segment between two pieces is not wanted. Pieces that overlap are spread over several
 * passes: in the order of their starts, each goes to the first pass that has ended before it begins.
 */

import { contentSeconds, type Piece } from '@audiosplit/cuts/plan/piece';
import { MediaError } from '../../media-error.ts';
import {
  type Borders,
  type CutRule,
  MAX_TAG_BYTES,
  type SegmentBounds,
  type SegmentChoice,
} from '../cut-rule.ts';

export interface Pass {
  /**
   * Consecutive segments from the source's beginning: the end of each in seconds. The last ends with the
   * source.
   */
  readonly ends: readonly number[];
  /** The end of the last wanted segment: the source is not read after it. */
  readonly walkedSeconds: number;
  /** The piece of a segment, as an index into the plan; undefined if the segment is not wanted. */
  readonly pieceOf: (index: number) => number | undefined;
}

/** Borders closer than this are one: less than a sample at any rate. */
const SAME_SECONDS = 1e-6;

const MAX_WHOLE_PASSES = 16;

/** `isDone`: by the index of a piece; such pieces are omitted. */
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
 * Throws TOO_MUCH_OVERLAP if the passes would be disproportionately expensive: sixteen passes may each read
 * the whole source, and all further ones together no more than the duration of the pieces. So the cost of a
 * job is at most a fixed multiple of what it is charged for and of its source.
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
  /** A larger wanted segment is an error of the plan. */
  readonly maxSegmentBytes?: number | undefined;
  readonly maxTagBytes?: number | undefined;
  /** Reads the source also after the last wanted segment, to find its length. */
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

/** The last segment ends with the source, even if its planned end rounds to another sample. */
function toSample(ends: readonly number[], sampleRateHz: number, index: number): number {
  const end = ends[index];
  return end === undefined || index === ends.length - 1
    ? Number.POSITIVE_INFINITY
    : Math.round(end * sampleRateHz);
}

/** Tolerance after the planned end, for a header's length that was some samples off. */
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
