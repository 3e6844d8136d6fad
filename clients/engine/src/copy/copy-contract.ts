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

/**
 * Tags of a segment that replace the source's title with its number. The source's other tags and its cover
 * are kept.
 */
export interface SegmentTags {
  /** Undefined: the source's title with its number, if it has one. */
  readonly title: string | undefined;
  /** From 1. */
  readonly track: number;
  readonly trackCount: number;
}

export interface CopyOptions {
  readonly cut: CutRule;
  /** A private folder. On success and on failure it contains only segments that were handed out. */
  readonly outputDir: string;
  readonly signal: AbortSignal;
  /** Omits tags and covers in mp3, wav and flac: for files that only the engine reads. */
  readonly withoutTags?: boolean;
  /** Nothing is written: segments are announced with the size that their files would have. */
  readonly sizesOnly?: boolean;
  /** The tags of the segment at this index. Absent or undefined: the source's title with its number. */
  readonly tagsOf?: (index: number) => SegmentTags | undefined;
  /**
   * Audible length above which the split fails with QUOTA_EXCEEDED; it is counted while walking, never read
   * from a header.
   */
  readonly maxSourceDurationMs?: number;
  /**
   * Called in order, and awaited before the next segment is closed; that segment is written meanwhile. To end
   * the split sooner, a caller that fails aborts the signal.
   */
  readonly onSegment: (segment: FinishedSegment) => Promise<void>;
  /**
   * Called once CopyNotPossibleError can no longer occur, if the container shows that before its end. The
   * bytes kept for another route may then be deleted.
   */
  readonly onCommitted?: () => void;
  /**
   * The caller's copy of the source. Called once the whole source has been read; resolves with a file that
   * contains it and exists until the split has ended. Absent: a splitter that must go back keeps a copy
   * itself.
   */
  readonly keptSource?: () => Promise<LocalFile>;
  /**
   * The source as a sparse file, if there is one. A splitter may search it for the beginning of the next
   * wanted segment, and skip the bytes before.
   */
  readonly sparseFile?: LocalFile;
  /** Called with the number of source bytes taken so far, never decreasing. */
  readonly onBytes: (bytesConsumed: number) => void;
  /** The memory of the source's chunks, if it may be reused. */
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
 * Splits a source without decoding it, into files of its own container or of the usual container of its
 * codec.
 *
 * Rejects with `MediaError` if the source or the cut is at fault, with `CopyNotPossibleError` if decoding
 * would help, and with the signal's reason when aborted. Segments announced before a rejection stay on disk:
 * they belong to the receiver.
 */
export type CopySplitter = (source: AsyncIterable<Uint8Array>, options: CopyOptions) => Promise<CopyResult>;

/**
 * The source cannot be split without decoding: too much junk, a format change midway, a chained Ogg,
 * compressed WAV, fragmented MP4. It may be thrown after segments were announced, because the reason can be
 * anywhere in the stream.
 */
export class CopyNotPossibleError extends Error {
  override readonly name = 'CopyNotPossibleError';
}
