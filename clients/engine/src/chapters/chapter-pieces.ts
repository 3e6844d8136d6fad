/**
 * Chapters part what is split: each lasts until the next begins, and what lies before the first is a piece without a
 * title. Requested chapters and the source's own go by the same rules.
 *
 * A chapter that begins within .1 s of the beginning begins there, whether that is the source's or that of `trim`: what
 * would lie before it is too short for a file of its own. Lists are not trusted: they may be out of order, and name
 * times before the beginning or beyond the end.
 */
import type { RequestedChapter } from '@audiosplit/cuts/cut-request';
import { MIN_REMAINDER_SECONDS } from '../cuts/cut.ts';
import { MediaError } from '../media-error.ts';
import { cleanTitle } from './chapter-title.ts';
import type { SourceChapter } from './source-chapters.ts';

export interface ChapterPiece {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly title: string | undefined;
  readonly endKind: 'chapter' | 'end';
}

/** What is split: all of the source, or what `trim` leaves of it. */
export interface ChapterBounds {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** The source's length. */
  readonly totalSeconds: number;
}

/** Those that make a cut. */
export function fromRequestedChapters(requested: readonly RequestedChapter[]): readonly SourceChapter[] {
  return requested
    .filter(({ toc }) => toc !== false)
    .map(({ startTime, title }) => ({ startSeconds: startTime, title }));
}

/** Throws NO_CHAPTERS where none of them begins in time. */
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

/** In the order of time; of several at one time the last of the list. */
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

function noChapters(): MediaError {
  return new MediaError(
    'NO_CHAPTERS',
    'There are no chapters in what is to be split: give them as `chapters`, or choose another mode.',
  );
}
