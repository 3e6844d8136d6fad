/** Where a source is cut, and how the pieces are made: the request body of `POST /api/v1/splits`. */

/** dBFS, or determined from the sound. */
export type SilenceThreshold = number | 'auto';

export interface SnapToSilence {
  readonly window: number;
  readonly threshold?: SilenceThreshold;
  readonly minSilence?: number;
}

export interface EncodingOptions {
  readonly sampleRate?: number;
  readonly channels?: number;
  readonly bitrate?: number;
  readonly bitDepth?: number;
  readonly loudness?: { readonly target: number };
  readonly md5?: boolean;
}

/** Fields that every mode takes, unless it excludes one (`never`). Times and lengths are seconds. */
export interface CutOptions {
  readonly maxDuration?: number;
  readonly maxFileSize?: number;
  readonly snapToSilence?: SnapToSilence;
  readonly overlap?: number;
  readonly trim?: { readonly start?: number; readonly end?: number };
  readonly audioTrack?: number | string;
  readonly encoding?: EncodingOptions;
  readonly preset?: 'speech';
  readonly fileName?: string;
  readonly dryRun?: boolean;
}

export interface SilenceOptions {
  readonly threshold?: SilenceThreshold;
  readonly minSilence?: number;
  readonly minDuration?: number;
  readonly keepSilence?: number;
}

export interface RequestedChapter {
  readonly startTime: number;
  readonly title?: string;
  readonly toc?: boolean;
}

export interface RequestedRange {
  readonly start: number;
  readonly end?: number;
  readonly title?: string;
}

/**
 * The fields of a cut by mode, with the names and in the order of the API. Times are seconds, rounded to the
 * millisecond.
 */
export type CutRequest = CutOptions &
  (
    | { readonly splitMode: 'duration'; readonly segmentDuration: number }
    | { readonly splitMode: 'fileSize'; readonly maxFileSize: number }
    | { readonly splitMode: 'silence'; readonly silence?: SilenceOptions }
    | {
        readonly splitMode: 'chapters';
        readonly chapters?: readonly RequestedChapter[];
        readonly overlap?: never;
      }
    | ({ readonly splitMode: 'ranges'; readonly overlap?: never; readonly trim?: never } & (
        | { readonly ranges: readonly RequestedRange[]; readonly splitPoints?: never }
        | { readonly splitPoints: readonly number[]; readonly ranges?: never }
      ))
    | { readonly splitMode: 'parts'; readonly parts: number }
  );

export type SplitMode = CutRequest['splitMode'];

/** Why a segment ends where it does. */
export const SEGMENT_ENDS = ['exact', 'silence', 'quietest', 'chapter', 'range', 'end'] as const;
export type SegmentEnd = (typeof SEGMENT_ENDS)[number];

/** Whether the cut is one of the first two modes without options, which every release supports. */
export function isPlainCut({ splitMode, ...fields }: CutRequest): boolean {
  if (splitMode !== 'duration' && splitMode !== 'fileSize') return false;
  return Object.keys(fields).length === 1;
}
