/** Mode `ranges`: the given ranges, or the stretches between the points. */
import type { RequestedRange } from '../cut-request.ts';
import type { Piece, Span } from './piece.ts';
import { rangeOutsideSource } from './plan-error.ts';
import { cleanTitle } from './title.ts';

/**
 * Compared in milliseconds, the unit of times: the remainder may be less than one sample of the encoder's
 * input.
 */
export function isAtEnd(seconds: number, totalSeconds: number): boolean {
  return totalSeconds - seconds < 0.001 - ROUNDING_SECONDS;
}

const ROUNDING_SECONDS = 1e-9;

/** Ranges may overlap and have any order. Throws RANGE_OUTSIDE_SOURCE if one begins at or after the end. */
export function piecesOfRanges(ranges: readonly RequestedRange[], totalSeconds: number): Piece[] {
  return ranges.map(({ start, end = totalSeconds, title }, index) => {
    if (isAtEnd(start, totalSeconds)) throw rangeOutsideSource(`ranges[${index}].start`, totalSeconds);
    const isRest = end >= totalSeconds;
    const cleaned = cleanTitle(title);
    return {
      startSeconds: start,
      endSeconds: isRest ? totalSeconds : end,
      endKind: isRest ? 'end' : 'range',
      ...(cleaned === undefined ? {} : { title: cleaned }),
    };
  });
}

/** Points outside the span are ignored. */
export function piecesBetweenPoints(points: readonly number[], { startSeconds, endSeconds }: Span): Piece[] {
  const pieces: Piece[] = [];
  let start = startSeconds;
  for (const point of points) {
    if (point <= start || isAtEnd(point, endSeconds)) continue;
    pieces.push({ startSeconds: start, endSeconds: point, endKind: 'range' });
    start = point;
  }
  pieces.push({ startSeconds: start, endSeconds, endKind: 'end' });
  return pieces;
}
