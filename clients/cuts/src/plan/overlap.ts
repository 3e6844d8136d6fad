import type { Piece } from './piece.ts';
import { PlanError } from './plan-error.ts';

/**
 * Lets every piece but the first begin before its cut. Throws SEGMENT_LIMIT_UNREACHABLE if the overlap is
 * half or more of the length from cut to cut of any piece but the last.
 */
export function addOverlap(pieces: readonly Piece[], overlapSeconds: number): Piece[] {
  return pieces.map((piece, index) => {
    const { startSeconds, endSeconds } = piece;
    const length = endSeconds - startSeconds;
    if (index < pieces.length - 1 && overlapSeconds >= length / 2) {
      throw new PlanError(
        'SEGMENT_LIMIT_UNREACHABLE',
        `The overlap of ${overlapSeconds} s is too long: segment ${index} has ${length.toFixed(3)} s from cut to cut.`,
      );
    }
    const fileStart = index === 0 ? startSeconds : Math.max(0, startSeconds - overlapSeconds);
    return { ...piece, startSeconds: fileStart, contentStartSeconds: startSeconds };
  });
}
