/** The ways in which a source may hold chapters, in the order in which they are looked for. */
export type ChapterKind =
  | 'id3'
  | 'movie-track'
  | 'chpl'
  | 'matroska'
  | 'vorbis-comments'
  | 'flac-cuesheet'
  | 'cuesheet-tag';

export interface SourceChapter {
  readonly startSeconds: number;
  readonly title: string | undefined;
}

/** What a source says of itself: in the order of its list, which need not be that of time, and possibly beyond its end. */
export interface SourceChapters {
  readonly kind: ChapterKind;
  readonly chapters: readonly SourceChapter[];
}

/** Further ones are not read: twice as many as there may be segments. */
export const MAX_CHAPTERS = 20_000;

/** Of one table of chapters, wherever it stands. A cover may stand beside them in the same tag. */
export const MAX_TABLE_BYTES = 16 * 1024 * 1024;

/** A title's bytes that are looked at: four for each character that may be kept, and some for those that are cleaned away. */
export const MAX_TITLE_BYTES = 4_096;
