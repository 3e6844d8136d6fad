/**
 * Chapters divide the audio. Each lasts until the next begins; the part before the first is a piece without a
 * title. The same rules apply to requested chapters and to the source's own.
 *
 * A chapter that begins within 0.1 s of the beginning of the source, or of `trim`, begins there, because the
 * part before it is too short for a file. The lists are not trusted: they may be unordered and contain times
 * before the beginning or after the end.
 */
import type { RequestedChapter } from '../cut-request.ts';
import { PlanError } from './plan-error.ts';
import { MIN_REMAINDER_SECONDS } from './segment-limits.ts';
import { cleanTitle } from './title.ts';

export interface SourceChapter {
  readonly startSeconds: number;
  readonly title: string | undefined;
}

export interface ChapterPiece {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly title: string | undefined;
  readonly endKind: 'chapter' | 'end';
}

/** The audio to split: the whole source, or the part within `trim`. */
export interface ChapterBounds {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** The source's length. */
  readonly totalSeconds: number;
}

/** The chapters that make a cut. */
export function fromRequestedChapters(requested: readonly RequestedChapter[]): readonly SourceChapter[] {
  return requested
    .filter(({ toc }) => toc !== false)
    .map(({ startTime, title }) => ({ startSeconds: startTime, title }));
}

/** Throws NO_CHAPTERS if none of them begins inside the audio. */
export function chapterPieces(
  chapters: readonly SourceChapter[],
  { startSeconds, endSeconds, totalSeconds }: ChapterBounds,
): readonly ChapterPiece[] {
  const end = Math.min(endSeconds, totalSeconds);
  const starts = distinctStarts(chapters, end);
  const firstIndex = starts.findLastIndex((chapter) => isAtBeginning(chapter.startSeconds, startSeconds));
  const first = starts[firstIndex];
  const within = starts.slice(firstIndex + 1);
  if (!(startSeconds < end) || (first === undefined && within.length === 0)) throw noChapters();
  const pieces = [{ startSeconds, title: first?.title }, ...within];
  return pieces.map((piece, index) => {
    const following = pieces[index + 1];
    return {
      startSeconds: piece.startSeconds,
      endSeconds: following?.startSeconds ?? end,
      title: cleanTitle(piece.title),
      endKind: following === undefined ? 'end' : 'chapter',
    };
  });
}

/** In the order of time. Of several chapters at one time, the last in the list is used. */
function distinctStarts(chapters: readonly SourceChapter[], endSeconds: number): readonly SourceChapter[] {
  const byStart = new Map<number, SourceChapter>();
  for (const { startSeconds, title } of chapters) {
    if (!(startSeconds >= 0 && startSeconds < endSeconds)) continue;
    const start = isAtBeginning(startSeconds, 0) ? 0 : startSeconds;
    byStart.set(start, { startSeconds: start, title });
  }
  return [...byStart.values()].sort((one, other) => one.startSeconds - other.startSeconds);
}

function isAtBeginning(seconds: number, beginningSeconds: number): boolean {
  return seconds - beginningSeconds <= MIN_REMAINDER_SECONDS;
}

function noChapters(): PlanError {
  return new PlanError(
    'NO_CHAPTERS',
    'There are no chapters in what is to be split: give them as `chapters`, or choose another mode.',
  );
}
