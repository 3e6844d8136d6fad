/** Mode `parts`: equal lengths of the audio within `trim`. A snapped cut does not shift the next one. */
import type { SnapToSilence } from '@audiosplit/cuts/cut-request';
import { MediaError } from '../../media-error.ts';
import { MIN_REMAINDER_SECONDS } from '../cut.ts';
import type { Piece, Span } from './piece.ts';
import { type Snap, windowOf } from './snap.ts';

export async function evenParts(
  { startSeconds, endSeconds }: Span,
  count: number,
  snap: { readonly options: SnapToSilence; readonly choose: Snap } | undefined,
): Promise<Piece[]> {
  const length = (endSeconds - startSeconds) / count;
  if (length < MIN_REMAINDER_SECONDS)
    throw new MediaError(
      'SEGMENT_LIMIT_UNREACHABLE',
      `What is to be split is too short for ${count} parts of a tenth of a second each.`,
    );
  const pieces: Piece[] = [];
  let start = startSeconds;
  for (let number = 1; number < count; number++) {
    const target = startSeconds + number * length;
    const cut =
      snap === undefined
        ? ({ seconds: target, endKind: 'exact' } as const)
        : await snap.choose(windowOf(snap.options, target - length, target));
    pieces.push({ startSeconds: start, endSeconds: cut.seconds, endKind: cut.endKind });
    start = cut.seconds;
  }
  pieces.push({ startSeconds: start, endSeconds, endKind: 'end' });
  return pieces;
}
