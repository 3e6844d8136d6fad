import type { CutRequest } from '../cut-request.ts';
import type { SourceChapter } from './chapter-pieces.ts';
import type { Piece, Span } from './piece.ts';
import { type PlanFacts, planPieces, spanOf } from './plan-pieces.ts';
import type { CutWindow, SnappedCut } from './snap.ts';

/** A source whose sound is known. */
export interface KnownSource {
  readonly totalSeconds: number;
  readonly sizes: PlanFacts['sizes'];
  readonly ownChapters: readonly SourceChapter[];
  readonly snap: (window: CutWindow) => SnappedCut;
  readonly silencePieces: (span: Span, keepSilence: number | undefined) => readonly Piece[];
}

/**
 * A source of constant bitrate that snaps to multiples of `gridSeconds` if the window contains one. It has one
 * silence, in its middle, and one chapter.
 */
export function sourceOf(
  totalSeconds: number,
  { bytesPerSecond = 16_000, gridSeconds = 1.7 } = {},
): KnownSource {
  return {
    totalSeconds,
    ownChapters: [{ startSeconds: 0, title: 'One' }],
    snap({ targetSeconds, earliestSeconds }) {
      const silence = Math.floor(targetSeconds / gridSeconds) * gridSeconds;
      if (silence < earliestSeconds) return { seconds: targetSeconds, endKind: 'exact' };
      return { seconds: silence, endKind: 'silence' };
    },
    silencePieces({ startSeconds, endSeconds }, keepSilence) {
      const middle = (startSeconds + endSeconds) / 2;
      const dropped = keepSilence === undefined ? 0 : (endSeconds - startSeconds) / 10;
      return [
        { startSeconds, endSeconds: middle - dropped, endKind: 'silence' },
        { startSeconds: middle + dropped, endSeconds, endKind: 'end' },
      ];
    },
    sizes: {
      latestEnd: (startSeconds, byteCount) => startSeconds + byteCount / bytesPerSecond,
      earliestStart: (endSeconds, byteCount) => endSeconds - byteCount / bytesPerSecond,
    },
  };
}

/** Plans as the engine does. */
export function planOf(request: CutRequest, source: KnownSource): Piece[] {
  const { totalSeconds, sizes, ownChapters, snap } = source;
  const span = spanOf(request, totalSeconds);
  const silencePieces =
    request.splitMode === 'silence' ? source.silencePieces(span, request.silence?.keepSilence) : undefined;
  const plan = planPieces(request, { totalSeconds, sizes, ownChapters, silencePieces });
  let step = plan.next();
  while (step.done !== true) step = plan.next(snap(step.value));
  return step.value;
}
