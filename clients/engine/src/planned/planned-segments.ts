/** Turns a route's result for a planned piece into the segment that is handed out. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { Piece } from '@audiosplit/cuts/plan/piece';
import type { SegmentTags } from '../copy/copy-contract.ts';
import type { FinishedSegment } from '../media.ts';

export interface SegmentPlan {
  readonly pieces: readonly Piece[];
  /** By how much the file that is cut begins later than the source. */
  readonly offsetSeconds: number;
  readonly outputDir: string;
  readonly onSegment: (segment: FinishedSegment) => Promise<void>;
}

/** Hands out the file made for the piece at `index`. It is in a folder of the pass. */
export async function handOutPiece(
  { pieces, offsetSeconds, outputDir, onSegment }: SegmentPlan,
  index: number,
  made: FinishedSegment,
): Promise<void> {
  const piece = pieces[index];
  if (piece === undefined) throw new RangeError(`no piece ${index} in the plan`);
  const { endKind, title, contentStartSeconds } = piece;
  const { sampleRateHz, extension, dryRun } = made;
  requireInPlace(piece, made, offsetSeconds);
  const path =
    dryRun === undefined ? join(outputDir, `segment-${String(index).padStart(5, '0')}.${extension}`) : '';
  if (dryRun === undefined) await rename(made.path, path);
  await onSegment({
    ...made,
    index,
    path,
    startSample: made.startSample + Math.round(offsetSeconds * sampleRateHz),
    endKind,
    ...(contentStartSeconds === undefined
      ? {}
      : { contentStartSample: Math.round(contentStartSeconds * sampleRateHz) }),
    ...(title === undefined ? {} : { title }),
  });
}

export function tagsOfPiece(pieces: readonly Piece[], index: number | undefined): SegmentTags | undefined {
  if (index === undefined) return undefined;
  return { title: pieces[index]?.title, track: index + 1, trackCount: pieces.length };
}

/**
 * Half of the longest packet at which a copy is cut: 8,192 samples of Vorbis at 8 kHz (Vorbis I specification
 * 4.2.2).
 */
const MAX_SHIFT_SECONDS = 0.55;

/** If a route has cut at another place than planned, it is faulty, and its file is not handed out. */
function requireInPlace(piece: Piece, made: FinishedSegment, offsetSeconds: number): void {
  const start = made.startSample / made.sampleRateHz + offsetSeconds;
  const end = start + made.sampleCount / made.sampleRateHz;
  const shift = Math.max(Math.abs(start - piece.startSeconds), Math.abs(end - piece.endSeconds));
  if (shift <= MAX_SHIFT_SECONDS) return;
  throw new Error(
    `planned from ${piece.startSeconds} to ${piece.endSeconds} s, cut from ${start.toFixed(3)} to ${end.toFixed(3)} s`,
  );
}
