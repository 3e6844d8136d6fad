import type { SourceFacts } from './plan-pieces.ts';
import type { CutWindow } from './snap.ts';

/**
 * A source of constant bitrate that snaps to multiples of `gridSeconds` if the window contains one. It has one
 * silence, in its middle, and one chapter.
 */
export function factsOf(
  totalSeconds: number,
  { bytesPerSecond = 16_000, gridSeconds = 1.7 } = {},
): SourceFacts {
  return {
    totalSeconds,
    async snap({ targetSeconds, earliestSeconds }: CutWindow) {
      const silence = Math.floor(targetSeconds / gridSeconds) * gridSeconds;
      if (silence < earliestSeconds) return { seconds: targetSeconds, endKind: 'exact' };
      return { seconds: silence, endKind: 'silence' };
    },
    async silencePieces({ startSeconds, endSeconds }, { keepSilence }) {
      const middle = (startSeconds + endSeconds) / 2;
      const dropped = keepSilence === undefined ? 0 : (endSeconds - startSeconds) / 10;
      return [
        { startSeconds, endSeconds: middle - dropped, endKind: 'silence' },
        { startSeconds: middle + dropped, endSeconds, endKind: 'end' },
      ];
    },
    chapterPieces: async ({ startSeconds, endSeconds }) => [
      { startSeconds, endSeconds, endKind: 'end', title: 'One' },
    ],
    sizes: {
      latestEnd: (startSeconds, byteCount) => startSeconds + byteCount / bytesPerSecond,
      earliestStart: (endSeconds, byteCount) => endSeconds - byteCount / bytesPerSecond,
    },
  };
}
