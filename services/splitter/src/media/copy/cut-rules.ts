import { type Cut, MIN_REMAINDER_SECONDS } from '../cuts/cut.ts';
import { MediaError } from '../media-error.ts';
import type { CopyOptions } from './copy-contract.ts';

/** Where segment `index` ends, in samples from the first audible one; Infinity when cutting by size. */
export function segmentEndSample(cut: Cut, sampleRateHz: number, index: number): number {
  if (cut.mode === 'fileSize') return Number.POSITIVE_INFINITY;
  return Math.round((index + 1) * cut.segmentDurationSeconds * sampleRateHz);
}

/** The fewest samples that may follow a boundary in duration mode. */
export function minRemainderSamples(sampleRateHz: number): number {
  return Math.ceil(MIN_REMAINDER_SECONDS * sampleRateHz);
}

/** Infinity when cutting by duration. */
export function maxSegmentBytes(cut: Cut): number {
  return cut.mode === 'fileSize' ? cut.maxFileSizeBytes : Number.POSITIVE_INFINITY;
}

const MAX_TAG_BYTES = 16 * 1024 * 1024;
const ALWAYS_ALLOWED_TAG_BYTES = 1024 * 1024;
const TAG_BYTES_PER_SECOND = 64 * 1024;
const TAG_SHARE_OF_LIMIT = 0.1;

/**
 * The largest tag (cover picture included) that is repeated in every segment. A tag outgrowing the audio it
 * describes is dropped: thousands of short segments would each carry a copy.
 */
export function maxTagBytes(cut: Cut): number {
  if (cut.mode === 'fileSize')
    return Math.min(MAX_TAG_BYTES, Math.floor(cut.maxFileSizeBytes * TAG_SHARE_OF_LIMIT));
  const proportionate = Math.floor(cut.segmentDurationSeconds * TAG_BYTES_PER_SECOND);
  return Math.min(MAX_TAG_BYTES, Math.max(ALWAYS_ALLOWED_TAG_BYTES, proportionate));
}

/** The largest tag that a split with these options repeats in every segment. */
export function tagAllowanceBytes({
  cut,
  withoutTags = false,
}: Pick<CopyOptions, 'cut' | 'withoutTags'>): number {
  return withoutTags ? 0 : maxTagBytes(cut);
}

export function segmentLimitUnreachable(): MediaError {
  return new MediaError(
    'SEGMENT_LIMIT_UNREACHABLE',
    'The maximum file size is too small to hold a header and one frame of this source.',
  );
}

export function unsupportedMedia(message: string): MediaError {
  return new MediaError('UNSUPPORTED_MEDIA', message);
}
