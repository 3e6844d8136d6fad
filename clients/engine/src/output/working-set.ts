/**
 * What a conversion stores in the working folder at once, in addition to its source: decoded samples ahead of
 * the encoders, and encoded files that wait to be handed out. It is planned within a share of the scratch
 * space; only a single segment that exceeds half of the share takes more.
 */
import { BACKLOG_PER_WORKER } from '../convert/encode/ordered-pool.ts';
import { usableCores } from '../convert/encode/usable-cores.ts';
import { frameBytes } from '../convert/samples/wav-header.ts';
import { coverBytesOf, type OutputShape, soundBytes } from './planned-output.ts';

/** The maximum of samples on disk that no encoder has taken yet. */
const MAX_AHEAD_BYTES = 1024 * 1024 * 1024;
const MAX_PART_FILE_BYTES = 16 * 1024 * 1024;
/** Enough for a decoder and an encoder to work at the same time. */
const MIN_AHEAD_BYTES = 8 * 1024 * 1024;
/** Files whose size only encoding shows may exceed the estimate: FLAC may be as large as its samples. */
const ESTIMATE_MARGIN = 1.8;

export interface WorkingSet {
  readonly maxAheadBytes: number;
  /**
   * The size of the files that hold samples if segments are too long for one file each; undefined: one file
   * each.
   */
  readonly partFileBytes: number | undefined;
  /** No segment is started while this many have not been handed on. */
  readonly backlog: number;
  /** All together. */
  readonly bytes: number;
}

interface WorkingSetOptions {
  readonly shape: OutputShape;
  readonly longestSegmentSamples: number;
  /** Of the whole source; undefined if unknown. */
  readonly totalSamples: number | undefined;
  /** Of the scratch space; Infinity: there is no budget. */
  readonly shareBytes: number;
}

export function workingSetOf(options: WorkingSetOptions): WorkingSet {
  const { shape, totalSamples = Number.POSITIVE_INFINITY, shareBytes } = options;
  const workers = usableCores();
  const half = shareBytes / 2;
  const longest = Math.min(options.longestSegmentSamples, totalSamples);
  const segmentPcmBytes = options.longestSegmentSamples * frameBytes(shape.pcm);
  const wanted = (workers + 1) * segmentPcmBytes;
  const maxAheadBytes = Math.min(wanted, MAX_AHEAD_BYTES, Math.max(MIN_AHEAD_BYTES, half));
  // Longer segments are encoded one after the other.
  const partFileBytes = wanted > maxAheadBytes ? Math.min(MAX_PART_FILE_BYTES, maxAheadBytes / 8) : undefined;
  const segmentBytes = Math.max(1, fileBytes(shape, longest));
  const backlog = Math.max(1, Math.min(workers * BACKLOG_PER_WORKER, Math.floor(half / segmentBytes)));
  // A file is deleted when it has been read completely.
  const onDisk = maxAheadBytes + (partFileBytes ?? segmentPcmBytes);
  const ahead = Math.min(onDisk, totalSamples * frameBytes(shape.pcm));
  // With any cut, together they hold no more audio than the source, but one cover each.
  const waiting = Math.min(
    backlog * segmentBytes,
    ESTIMATE_MARGIN * soundBytes(shape, totalSamples) + backlog * 2 * coverBytesOf(shape),
  );
  return { maxAheadBytes, partFileBytes, backlog, bytes: Math.ceil(ahead + waiting) };
}

/**
 * For a stream that is cut after the encoder: an m4a is stored completely before it is cut, other formats as
 * two segments.
 */
export function repackingSetOf(
  shape: OutputShape,
  totalSamples: number | undefined = Number.POSITIVE_INFINITY,
  maxSegmentBytes: number,
): WorkingSet {
  const whole = ESTIMATE_MARGIN * soundBytes(shape, totalSamples) + 2 * coverBytesOf(shape);
  const segments = Math.min(whole, 2 * maxSegmentBytes);
  const bytes = Math.ceil(segments + (shape.encoding.name === 'm4a' ? whole : 0));
  return { maxAheadBytes: 0, partFileBytes: undefined, backlog: 1, bytes };
}

/** With a cover, the file is written a second time to include it. */
function fileBytes(shape: OutputShape, sampleCount: number): number {
  const coverBytes = coverBytesOf(shape);
  const sound = ESTIMATE_MARGIN * soundBytes(shape, sampleCount);
  return coverBytes === 0 ? sound : 2 * (sound + coverBytes);
}
