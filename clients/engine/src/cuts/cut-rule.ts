import { MIN_REMAINDER_SECONDS } from './cut.ts';

/** A cut as the routes see it, independent of its mode. */
export interface CutRule {
  /** Segments end at times known beforehand; otherwise, when their file is full. */
  readonly isTimed: boolean;
  /** Where segment `index` ends, in samples from the first audible one; Infinity unless `isTimed`. */
  readonly endSample: (sampleRateHz: number, index: number) => number;
  /**
   * The minimum number of samples after a border; a shorter remainder joins the previous segment. At least 1.
   */
  readonly minRemainderSamples: (sampleRateHz: number) => number;
  /** Without a remainder that joins the segment. Infinity unless `isTimed`. */
  readonly maxSegmentSeconds: number;
  /** The maximum size of a segment's file. Infinity if `isTimed`. */
  readonly maxSegmentBytes: number;
  /** The largest tag, cover picture included, that is repeated in every segment. */
  readonly maxTagBytes: number;
  /**
   * The borders in samples, for segments that are encoded one by one. `samplesWithin` returns how many
   * samples are certain to fit into a file of that size, or undefined if only encoding shows it; there are no
   * borders in that case.
   */
  readonly borders: (
    sampleRateHz: number,
    samplesWithin: (byteCount: number) => number | undefined,
  ) => Borders | undefined;
  /** Which segments are wanted; absent: all. */
  readonly choice?: SegmentChoice;
}

/** Other segments are walked over: nothing of them is written or handed out. */
export interface SegmentChoice {
  readonly isWanted: (index: number) => boolean;
  /** The source need not be read after it. */
  readonly lastIndex: number;
}

/**
 * Where the next wanted segment begins, in samples, while segment `index` is open and not wanted: the data up
 * to there need not be read. Infinity if none follows; undefined if the open segment is wanted.
 */
export function nextWantedStart(
  { choice, endSample }: CutRule,
  sampleRateHz: number,
  index: number,
): number | undefined {
  if (choice === undefined || choice.isWanted(index)) return undefined;
  let last = index;
  while (endSample(sampleRateHz, last) < Number.POSITIVE_INFINITY && !choice.isWanted(last + 1)) last += 1;
  return endSample(sampleRateHz, last);
}

/** The borders of the segments of one source, in whole samples. */
export interface Borders {
  readonly sampleRateHz: number;
  /** The maximum length of a source, in samples, that gives at most MAX_SEGMENTS. */
  readonly maxSourceSamples: number;
  /** The maximum reach of a segment from its start, including what must be known to follow it. */
  readonly longestSegmentSamples: number;
  /** The segment that begins at `startSample`, which need not be on a border. */
  readonly boundsFrom: (startSample: number) => SegmentBounds;
}

/**
 * The known bounds of a segment when only its start is known. Positions in samples from the source's first.
 */
export interface SegmentBounds {
  /** The segment contains everything up to here, as far as the source extends. */
  readonly surelyUpTo: number;
  /** Once the source is known to reach this far, the segment ends at `nominalEnd`. */
  readonly settledAt: number;
  readonly nominalEnd: number;
  /** The segment never extends further. */
  readonly latestEnd: number;
  /** The segment's end if the source ends at `totalSamples`, which must be after the segment's start. */
  readonly endWithin: (totalSamples: number) => number;
}

export function minRemainderSamples(sampleRateHz: number): number {
  return Math.ceil(MIN_REMAINDER_SECONDS * sampleRateHz);
}

/** A larger tag is dropped for every kind of cut, because it is held in memory. */
export const MAX_TAG_BYTES = 16 * 1024 * 1024;

const ALWAYS_ALLOWED_TAG_BYTES = 1024 * 1024;
const TAG_BYTES_PER_SECOND = 64 * 1024;
const MAX_TAG_SHARE = 0.1;

/** A tag larger than its audio is dropped: thousands of short segments would each carry a copy. */
export function maxTagBytesByLength(segmentSeconds: number): number {
  const proportionate = Math.floor(segmentSeconds * TAG_BYTES_PER_SECOND);
  return Math.min(MAX_TAG_BYTES, Math.max(ALWAYS_ALLOWED_TAG_BYTES, proportionate));
}

export function maxTagBytesBySize(maxSegmentBytes: number): number {
  return Math.min(MAX_TAG_BYTES, Math.floor(maxSegmentBytes * MAX_TAG_SHARE));
}
