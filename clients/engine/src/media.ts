/**
 * The types of the splitting engine that all of its folders share.
 *
 * Samples are counted per channel, from the first audible one: encoder delay and padding are already removed.
 * The rate is named next to each count: the source's rate for the source, the file's own rate for a segment.
 * The two differ only if the output format cannot hold the source's rate.
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
import type { Waveform } from './waveform/peak-meter.ts';

/** A segment with a complete and closed file. */
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
  /** The cut with which the segment begins, if its file begins before that cut. */
  readonly contentStartSample?: number;
  /** Why the segment ends where it does. */
  readonly endKind?: SegmentEnd;
  readonly title?: string;
  /**
   * There is no file, because the segment belongs to a dry run. `isExactSize` is false if only encoding would
   * show the size.
   */
  readonly dryRun?: { readonly isExactSize: boolean };
  /**
   * The file is a piece of the source that parts of the job read (`parts/part-spec.ts`). Pieces are kept in
   * the given order.
   */
  readonly isPiece?: true;
}

export interface SplitOptions {
  /**
   * The source's bytes, read once, in order, with back-pressure; or a file on this machine, which may be read
   * several times.
   */
  readonly source: AsyncIterable<Uint8Array> | LocalFile;
  /**
   * The length of a streamed source, if it is known beforehand. It is used for progress and for limits of CPU
   * time, and trusted for nothing else.
   */
  readonly sourceSizeBytes?: number;
  readonly cut: Cut | PlannedCut;
  /** Absent: the source's own format (see decisions in docs). */
  readonly outputFormat?: OutputFormat;
  /**
   * Returns a streamed source again, from its first byte. Called at most once, after `source` is closed. If
   * it is set, no copy of the source is kept on disk for a possible second reading.
   */
  readonly reopenSource?: () => AsyncIterable<Uint8Array>;
  /**
   * Parts of a streamed source, for cuts that need little of it. After the first request, `source` is read no
   * further.
   */
  readonly sourceRanges?: SourceRanges;
  /**
   * Whether copied flac segments carry the MD5 of their audio. All audio must be decoded for it, which takes
   * ten times as long. Default false: STREAMINFO then says "not known", as RFC 9639 8.2 allows.
   */
  readonly audioMd5?: boolean;
  /**
   * Set: a conversion that is large enough is not done here but prepared for several splitters. Its source is
   * handed out in pieces, and the result lists the parts. Segments handed out after pieces make the pieces
   * invalid: the source is converted whole.
   */
  readonly division?: DivisionOptions;
  /**
   * Set: `source` is the input of one such part, and only the part's segments are made. The part also
   * contains the cut and the format.
   */
  readonly part?: PartSpec;
  /** A private, empty folder. The engine leaves nothing in it except segment files that were handed out. */
  readonly scratchDir: string;
  readonly ffmpegPath: string;
  readonly sandbox: Sandbox;
  /**
   * Longer sources fail with QUOTA_EXCEEDED before any encoding. A source that is longer than its header
   * states fails as soon as it exceeds this.
   */
  readonly maxSourceDurationMs?: number;
  /**
   * Called with the duration that the split will count as used, as soon as it is known before encoding, and
   * possibly again when it becomes more exact. The engine waits for it. For copies, and for sources of
   * unknown length, it is called when they are done.
   */
  readonly reserve?: (neededMs: number) => Promise<void>;
  /**
   * Splits whose segments together would exceed this fail with OUTPUT_TOO_LARGE, before any encoding if a
   * header gives the length.
   */
  readonly maxOutputBytes?: number;
  /** Absent: unlimited. */
  readonly scratchRoom?: ScratchRoom;
  /**
   * The waveform of a dry run whose source is read completely; left out if drawing takes longer than `maxMs`.
   * Absent: none is drawn.
   */
  readonly waveform?: { readonly maxPixels: number; readonly maxMs: number };
  /** Aborting kills every child process and rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /**
   * Called with true when the engine has read all bytes that have arrived and waits for more, and with false
   * when more are available. Absent, or never called: unknown.
   */
  readonly onHunger?: (isHungry: boolean) => void;
  /**
   * For a planned cut: called with the number of segments before the first is handed out. Called again if
   * another plan was necessary; its segments start again.
   */
  readonly onPlan?: (segmentCount: number) => void;
  /** 0 to 1, never decreasing. */
  readonly onProgress: (fraction: number) => void;
  /**
   * Called once for each segment, in order, and never again for the same index. The engine continues at most
   * a few segments ahead before it waits for this call.
   */
  readonly onSegment: (segment: FinishedSegment) => Promise<void>;
}

/** The result of loudness normalisation. */
export interface Loudness {
  /** Integrated, by EBU R 128; undefined if the source is silent. */
  readonly measuredLufs: number | undefined;
  readonly gainDb: number;
  /** After the gain, before the encoder; undefined if the source is silent. */
  readonly truePeakDbtp: number | undefined;
}

export interface SplitResult {
  readonly outputFormat: OutputFormat;
  readonly segmentCount: number;
  readonly sourceSampleCount: number;
  readonly sourceSampleRateHz: number;
  /** The source was not read to its end and does not state its length. */
  readonly isSourceLengthEstimate?: true;
  readonly sourceSizeBytes: number;
  /**
   * The amount that counts as used for a planned cut, in samples at the source's rate; absent: all of the
   * source.
   */
  readonly meteredSampleCount?: number;
  readonly loudness?: Loudness;
  readonly waveform?: Waveform;
  /** The source is prepared; these parts are still to be converted. */
  readonly parts?: readonly PartSpec[];
}
