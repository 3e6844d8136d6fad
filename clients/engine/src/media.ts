/**
 * The types of the splitting engine that all of its folders share.
 *
 * Samples are counted per channel from the first one that a listener hears (encoder delay and padding
 * already taken off), at the rate that is named beside them: the source's for the source, the file's own
 * for a segment. The two differ only where the output format cannot hold the source's rate.
 */

import type { SegmentEnd } from '@audiosplit/cuts/cut-request';
import type { Cut, PlannedCut } from './cuts/cut.ts';
import type { OutputFormat } from './formats/formats.ts';
import type { ScratchRoom } from './output/scratch-room.ts';
import type { PartSpec } from './parts/part-spec.ts';
import type { DivisionOptions } from './parts/plan-parts.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import type { LocalFile } from './source/local-file.ts';
import type { SourceRanges } from './source/source-ranges.ts';

/** A segment whose file is complete and closed. */
export interface FinishedSegment {
  /** Zero-based position. */
  readonly index: number;
  /** Absolute path in the job's private folder; the receiver may delete it. */
  readonly path: string;
  readonly extension: string;
  readonly contentType: string;
  readonly startSample: number;
  readonly sampleCount: number;
  readonly sampleRateHz: number;
  readonly sizeBytes: number;
  /** The cut with which it begins, where its file begins before it. */
  readonly contentStartSample?: number;
  /** How its end came about. */
  readonly endKind?: SegmentEnd;
  readonly title?: string;
  /** There is no file: the segment is one of a dry run. `exact` is false where only encoding would tell the size. */
  readonly dryRun?: { readonly isExactSize: boolean };
  /** It is a piece of the source that parts of the job are to read (`parts/part-spec.ts`), to be kept in the order given. */
  readonly isPiece?: true;
}

export interface SplitOptions {
  /** The source's bytes, read once, in order, with back-pressure; or where they lie, to be read as often as needed. */
  readonly source: AsyncIterable<Uint8Array> | LocalFile;
  /** The length of a source that comes in, where it is known beforehand; for progress and limits of CPU time, never trusted beyond that. */
  readonly sourceSizeBytes?: number;
  readonly cut: Cut | PlannedCut;
  /** Absent: the source's own format (see decisions in docs). */
  readonly outputFormat?: OutputFormat;
  /**
   * Gives a source that comes in once more, from its first byte; called at most once, with `source` closed. Where it is
   * there, no copy of the source is kept on disk while it may still be needed a second time.
   */
  readonly reopenSource?: () => AsyncIterable<Uint8Array>;
  /** Parts of a source that comes in, for cuts that need little of it; once asked for, `source` is read no further. */
  readonly sourceRanges?: SourceRanges;
  /**
   * Whether flac segments that are copied carry the MD5 of their sound, for which all of it is decoded, which takes ten
   * times as long. Default false: STREAMINFO then says "not known", as RFC 9639 8.2 allows.
   */
  readonly audioMd5?: boolean;
  /**
   * A conversion of enough work is prepared for several splitters instead of done: its source is handed out in pieces,
   * and the result names the parts. Segments that come after pieces make them void: the source is converted whole.
   */
  readonly division?: DivisionOptions;
  /** `source` gives what one such part reads, and only its segments are made; all that asks for a cut or a format is in it. */
  readonly part?: PartSpec;
  /** A private, empty folder; the engine leaves it empty but for segment files handed out. */
  readonly scratchDir: string;
  readonly ffmpegPath: string;
  readonly sandbox: Sandbox;
  /**
   * Longer sources fail with QUOTA_EXCEEDED before any encoding; one whose header states less than it holds, as soon as
   * it passes this.
   */
  readonly maxSourceDurationMs?: number;
  /**
   * Called with what the split will count as used once that is known before anything is encoded, maybe again as it becomes
   * clearer; the engine waits for it. Copies, and sources whose length nothing tells, show it when they are done.
   */
  readonly reserve?: (neededMs: number) => Promise<void>;
  /** Splits whose segments together would take more fail with OUTPUT_TOO_LARGE, before any encoding where a header tells. */
  readonly maxOutputBytes?: number;
  /** Absent: there is room for anything. */
  readonly scratchRoom?: ScratchRoom;
  /** Aborting kills every child process and rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /**
   * Called with true when the engine has read all that came of the source and waits for more, and with false when more is
   * there; absent or never called where it is not known.
   */
  readonly onHunger?: (isHungry: boolean) => void;
  /**
   * Of a planned cut: called with the number of segments before the first is handed out, and once more where another plan
   * had to be made and its segments begin anew.
   */
  readonly onPlan?: (segmentCount: number) => void;
  /** 0 to 1, never falling. */
  readonly onProgress: (fraction: number) => void;
  /**
   * Called once per segment, in order, and never again for the same index; the engine waits for it before it
   * runs further ahead than a few segments.
   */
  readonly onSegment: (segment: FinishedSegment) => Promise<void>;
}

/** What loudness normalisation has found and done. */
export interface Loudness {
  /** Integrated, by EBU R 128; undefined where the source is silent. */
  readonly measuredLufs: number | undefined;
  readonly gainDb: number;
  /** Behind the gain, before the encoder; undefined where the source is silent. */
  readonly truePeakDbtp: number | undefined;
}

export interface SplitResult {
  readonly outputFormat: OutputFormat;
  readonly segmentCount: number;
  readonly sourceSampleCount: number;
  readonly sourceSampleRateHz: number;
  readonly sourceSizeBytes: number;
  /** What counts as used of a planned cut, in samples at the source's rate; absent: all of the source. */
  readonly meteredSampleCount?: number;
  readonly loudness?: Loudness;
  /** The source is prepared, and these are to be done. */
  readonly parts?: readonly PartSpec[];
}
