/** A cut as plain fields, with the names and in the order of the API. */
import { type Cut, CutSchema } from '@audiosplit/proto/jobs/v1/cut';
import { fromJson, type JsonObject, type JsonValue, toJson } from '@bufbuild/protobuf';

export type { Cut };
export type SplitMode = NonNullable<Cut['mode']['case']>;

export interface CutFields {
  readonly splitMode: SplitMode;
  readonly [field: string]: JsonValue;
}

/** dBFS, or found from the sound. */
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
}

/** What goes with every mode. Times and lengths are seconds. */
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

/** The fields of a cut by mode, as the gateway has checked them (`schemas/split-modes.ts`). */
export type CutRequest = CutOptions &
  (
    | { readonly splitMode: 'duration'; readonly segmentDuration: number }
    | { readonly splitMode: 'fileSize'; readonly maxFileSize: number }
    | { readonly splitMode: 'silence'; readonly silence?: SilenceOptions }
    | { readonly splitMode: 'chapters'; readonly chapters?: readonly RequestedChapter[] }
    | {
        readonly splitMode: 'ranges';
        readonly ranges?: readonly RequestedRange[];
        readonly splitPoints?: readonly number[];
      }
    | { readonly splitMode: 'parts'; readonly parts: number }
  );

/** How the end of a segment came about. */
export const SEGMENT_ENDS = ['exact', 'silence', 'quietest', 'chapter', 'range', 'end'] as const;
export type SegmentEnd = (typeof SEGMENT_ENDS)[number];

const MODES = CutSchema.oneofs.flatMap(({ fields }) => fields);
const OPTIONS = CutSchema.fields.filter(({ oneof }) => oneof === undefined);

/** Each field of any mode, and each that goes with every mode, once. */
export const CUT_FIELD_NAMES: readonly string[] = [
  ...new Set(
    [...MODES.flatMap(({ message }) => message?.fields ?? []), ...OPTIONS].map(({ jsonName }) => jsonName),
  ),
];

const OPTION_NAMES = new Set(OPTIONS.map(({ jsonName }) => jsonName));

/** Undefined where the mode is of a newer version. */
export function toCutFields(cut: Cut | undefined): CutFields | undefined {
  const splitMode = cut?.mode.case;
  if (cut === undefined || splitMode === undefined) return undefined;
  const { [splitMode]: fields, ...options } = toJson(CutSchema, cut) as JsonObject;
  return { splitMode, ...(fields as JsonObject), ...options };
}

/** Throws where the mode has no such field. */
export function fromCutFields({ splitMode, ...given }: CutFields): Cut {
  const mode = MODES.find(({ localName }) => localName === splitMode);
  const ownNames = new Set(mode?.message?.fields.map(({ jsonName }) => jsonName));
  const fields: JsonObject = {};
  const options: JsonObject = {};
  for (const [name, value] of Object.entries(given)) {
    if (OPTION_NAMES.has(name) && !ownNames.has(name)) options[name] = value;
    else fields[name] = value;
  }
  return fromJson(CutSchema, { [splitMode]: fields, ...options });
}

/** Undefined where the mode is of a newer version. */
export function toCutRequest(cut: Cut | undefined): CutRequest | undefined {
  return toCutFields(cut) as CutRequest | undefined;
}

/** Whether the cut is one of the first two modes and nothing else: what every release knows. */
export function isPlainCut({ splitMode, ...fields }: CutRequest): boolean {
  if (splitMode !== 'duration' && splitMode !== 'fileSize') return false;
  return Object.keys(fields).length === 1;
}
