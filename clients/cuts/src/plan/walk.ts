/**
 * Modes `duration` and `fileSize` with options: goes from cut to cut. Each cut is as late as the length and
 * the caps allow, and is then moved back into a silence. Nothing is divided. Without caps and snapping, cuts
 * by duration are the multiples of the length.
 */
import type { SnapToSilence } from '../cut-request.ts';
import type { Caps } from './caps.ts';
import type { Piece, Span } from './piece.ts';
import { isTooShort, MIN_REMAINDER_SECONDS, ROUNDING_SECONDS, refuseTooMany } from './segment-limits.ts';
import { type Planning, placeCut } from './snap.ts';

interface WalkOptions {
  readonly segmentSeconds?: number | undefined;
  readonly caps: Caps;
  readonly snap?: SnapToSilence | undefined;
}

export function* walkPieces(
  { startSeconds, endSeconds }: Span,
  { segmentSeconds = Number.POSITIVE_INFINITY, caps, snap }: WalkOptions,
): Planning<Piece[]> {
  // The minimum number of segments, independent of the sound at each cut.
  refuseTooMany(Math.floor((endSeconds - startSeconds) / segmentSeconds));
  const pieces: Piece[] = [];
  const isOnGrid = !caps.exist && snap === undefined;
  let start = startSeconds;
  for (;;) {
    refuseTooMany(pieces.length + 1);
    // A product, not a sum, so that cuts do not drift.
    const byLength = isOnGrid ? startSeconds + (pieces.length + 1) * segmentSeconds : start + segmentSeconds;
    const capped = caps.latestEnd(start);
    const target = Math.min(byLength, capped);
    const rest = endSeconds - target;
    if (rest < ROUNDING_SECONDS || (isTooShort(rest) && endSeconds <= capped + ROUNDING_SECONDS)) {
      pieces.push({ startSeconds: start, endSeconds, endKind: 'end' });
      return pieces;
    }
    const roomy = Math.min(target, endSeconds - MIN_REMAINDER_SECONDS);
    const cut = yield* placeCut(snap, { targetSeconds: roomy, cutBeforeSeconds: start });
    pieces.push({ startSeconds: start, endSeconds: cut.seconds, endKind: cut.endKind });
    start = cut.seconds;
  }
}
