import type { CutRule } from '../cuts/cut-rule.ts';
import type { FinishedSegment } from '../media.ts';
import type { ChunkMemory, LocalFile } from '../source/local-file.ts';

export type CopyContainer =
  | 'mp3'
  | 'wav'
  | 'flac'
  | 'ogg-vorbis'
  | 'ogg-opus'
  | 'ogg-flac'
  | 'matroska-opus'
  | 'matroska-vorbis'
  | 'matroska-flac'
  | 'caf-opus'
  | 'm4a'
  | 'adts';

/** Tags of a segment in place of the source's title with its number. The source's other tags and its cover stay. */
export interface SegmentTags {
  /** Undefined: the source's title with its number, where it has one. */
  readonly title: string | undefined;
  /** From 1. */
  readonly track: number;
  readonly trackCount: number;
}

export interface CopyOptions {
  readonly cut: CutRule;
  /** A private folder; left empty but for the segments handed out, on success and on failure. */
  readonly outputDir: string;
  readonly signal: AbortSignal;
  /** Leaves tags and covers out, in mp3, wav and flac: for files that only the engine reads. */
  readonly withoutTags?: boolean;
  /** Nothing is written: segments are announced with the size that their files would have. */
  readonly sizesOnly?: boolean;
  /** By the index of the segment; undefined, or absent: the source's title with its number. */
  readonly tagsOf?: (index: number) => SegmentTags | undefined;
  /** Audible length above which the split fails with QUOTA_EXCEEDED; found while walking, never from a header. */
  readonly maxSourceDurationMs?: number;
  /**
   * Called in order and awaited before the next segment is closed, which is written meanwhile. A caller
   * whose failure is to end the split before that aborts the signal.
   */
  readonly onSegment: (segment: FinishedSegment) => Promise<void>;
  /**
   * Called once CopyNotPossibleError can come no more, where the container lets that be known before its end:
   * what was kept of the source for another route may go.
   */
  readonly onCommitted?: () => void;
  /**
   * Where the caller keeps the source: asked for once all of it has been taken, it resolves with a file
   * that holds it and stays until the split has ended. Absent: a splitter that must go back keeps a copy of its own.
   */
  readonly keptSource?: () => Promise<LocalFile>;
  /** Called with the number of source bytes taken so far, never falling. */
  readonly onBytes: (bytesConsumed: number) => void;
  /** Of the source's chunks, where it may be used. */
  readonly memory?: ChunkMemory;
}

export interface CopyResult {
  readonly segmentCount: number;
  /** The sum of the segments' sample counts. */
  readonly sourceSampleCount: number;
  readonly sourceSampleRateHz: number;
  readonly sourceSizeBytes: number;
}

/**
 * Splits a source without decoding it into files of its own container, or of the one that its codec is at home in.
 *
 * Rejects with `MediaError` where the source or the cut is at fault, with `CopyNotPossibleError` where
 * decoding would help, and with the signal's reason when aborted. Segments announced before a rejection
 * stay on disk: they belong to the receiver.
 */
export type CopySplitter = (source: AsyncIterable<Uint8Array>, options: CopyOptions) => Promise<CopyResult>;

/**
 * The source cannot be split without decoding: too much junk, a format change midway, a chained Ogg,
 * compressed WAV, fragmented MP4. It may come after segments have been announced, as the reason can lie
 * anywhere in the stream.
 */
export class CopyNotPossibleError extends Error {
  override readonly name = 'CopyNotPossibleError';
}
