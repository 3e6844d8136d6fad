/** Mode `parts`: equal lengths of the audio within `trim`. A snapped cut does not shift the next one. */
import type { SnapToSilence } from '../cut-request.ts';
import type { Piece, Span } from './piece.ts';
import { PlanError } from './plan-error.ts';
import { isTooShort } from './segment-limits.ts';
import { type Planning, placeCut } from './snap.ts';

export function* evenParts(
  { startSeconds, endSeconds }: Span,
  count: number,
  snap: SnapToSilence | undefined,
): Planning<Piece[]> {
  const length = (endSeconds - startSeconds) / count;
  if (isTooShort(length))
    throw new PlanError(
      'SEGMENT_LIMIT_UNREACHABLE',
      `What is to be split is too short for ${count} parts of a tenth of a second each.`,
    );
  const pieces: Piece[] = [];
  let start = startSeconds;
  for (let number = 1; number < count; number++) {
    const target = startSeconds + number * length;
    const cut = yield* placeCut(snap, { targetSeconds: target, cutBeforeSeconds: target - length });
    pieces.push({ startSeconds: start, endSeconds: cut.seconds, endKind: cut.endKind });
    start = cut.seconds;
  }
  pieces.push({ startSeconds: start, endSeconds, endKind: 'end' });
  return pieces;
}
