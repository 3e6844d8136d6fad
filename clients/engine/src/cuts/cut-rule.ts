import { MIN_REMAINDER_SECONDS } from './cut.ts';

/** What the routes know of a cut, whatever its mode. */
export interface CutRule {
  /** Segments end at times known beforehand; otherwise where their file is full. */
  readonly isTimed: boolean;
  /** Where segment `index` ends, in samples from the first audible one; Infinity unless `isTimed`. */
  readonly endSample: (sampleRateHz: number, index: number) => number;
  /** The fewest samples that may follow a border; a shorter remainder joins the segment before it. At least 1. */
  readonly minRemainderSamples: (sampleRateHz: number) => number;
  /** Without the remainder that may join a segment. Infinity unless `isTimed`. */
  readonly maxSegmentSeconds: number;
  /** No segment's file is larger. Infinity if `isTimed`. */
  readonly maxSegmentBytes: number;
  /** The largest tag, cover picture included, that is repeated in every segment. */
  readonly maxTagBytes: number;
  /**
   * The borders in samples, for segments that are encoded one by one. `samplesWithin` tells how many samples surely fit
   * into a file of that size, undefined where only encoding tells; then there are no borders.
   */
  readonly borders: (
    sampleRateHz: number,
    samplesWithin: (byteCount: number) => number | undefined,
  ) => Borders | undefined;
  /** Which segments are wanted; absent: all. */
  readonly choice?: SegmentChoice;
}

/** The others are walked over: nothing of them is written or handed out. */
export interface SegmentChoice {
  readonly isWanted: (index: number) => boolean;
  /** Behind it the source need not be read. */
  readonly lastIndex: number;
}

/** The borders of the segments of one source, in whole samples. */
export interface Borders {
  readonly sampleRateHz: number;
  /** The longest source, in samples, that gives no more than MAX_SEGMENTS. */
  readonly maxSourceSamples: number;
  /** As far as any segment reaches from its start, and what must be known to follow it. */
  readonly longestSegmentSamples: number;
  /** The segment that begins at `startSample`, which need not be on a border. */
  readonly boundsFrom: (startSample: number) => SegmentBounds;
}

/** What is certain of a segment when only its start is known. Positions in samples from the source's first. */
export interface SegmentBounds {
  /** Everything up to here is the segment's, as far as the source reaches. */
  readonly surelyUpTo: number;
  /** Once the source is known to reach this far, the segment ends at `nominalEnd`. */
  readonly settledAt: number;
  readonly nominalEnd: number;
  /** It never reaches further. */
  readonly latestEnd: number;
  /** Where it ends if the source ends at `totalSamples`, which must be after the segment's start. */
  readonly endWithin: (totalSamples: number) => number;
}

export function minRemainderSamples(sampleRateHz: number): number {
  return Math.ceil(MIN_REMAINDER_SECONDS * sampleRateHz);
}

/** A larger tag is dropped, whatever the cut: it is held in memory. */
export const MAX_TAG_BYTES = 16 * 1024 * 1024;

const ALWAYS_ALLOWED_TAG_BYTES = 1024 * 1024;
const TAG_BYTES_PER_SECOND = 64 * 1024;
const MAX_TAG_SHARE = 0.1;

/** A tag larger than the audio that it describes is dropped: thousands of short segments would each carry a copy. */
export function maxTagBytesByLength(segmentSeconds: number): number {
  const proportionate = Math.floor(segmentSeconds * TAG_BYTES_PER_SECOND);
  return Math.min(MAX_TAG_BYTES, Math.max(ALWAYS_ALLOWED_TAG_BYTES, proportionate));
}

export function maxTagBytesBySize(maxSegmentBytes: number): number {
  return Math.min(MAX_TAG_BYTES, Math.floor(maxSegmentBytes * MAX_TAG_SHARE));
}
