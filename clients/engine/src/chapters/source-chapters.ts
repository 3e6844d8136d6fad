import type { SourceChapter } from '@audiosplit/cuts/plan/chapter-pieces';

export type { SourceChapter };

/** The ways in which a source may hold chapters, in the order in which they are tried. */
export type ChapterKind =
  | 'id3'
  | 'movie-track'
  | 'chpl'
  | 'matroska'
  | 'vorbis-comments'
  | 'flac-cuesheet'
  | 'cuesheet-tag';

/**
 * As the source states them: in the order of its list, which need not be that of time, and possibly after its
 * end.
 */
export interface SourceChapters {
  readonly kind: ChapterKind;
  readonly chapters: readonly SourceChapter[];
}

/** Further chapters are not read; this is twice the maximum number of segments. */
export const MAX_CHAPTERS = 20_000;

/** The maximum size of one table of chapters. The same tag may also contain a cover. */
export const MAX_TABLE_BYTES = 16 * 1024 * 1024;

/**
 * The bytes of a title that are read: four for each character that may be kept, and some for those removed.
 */
export const MAX_TITLE_BYTES = 4_096;
