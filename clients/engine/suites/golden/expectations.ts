/** Where the cuts must lie, by the rules of the contract and nothing else. */
import { createHash } from 'node:crypto';
import type { ExpectedSegment } from './vectors.ts';

/**
 * Segment k begins at the whole sample nearest to k times the length. What remains behind the last full segment is
 * one of its own from a tenth of a second on; less belongs to the segment before it.
 */
export function cutByDuration(
  sampleCount: number,
  sampleRateHz: number,
  segmentDurationSeconds: number,
): readonly ExpectedSegment[] {
  const length = segmentDurationSeconds * sampleRateHz;
  const fullCount = Math.floor(sampleCount / length);
  const remainder = sampleCount - Math.round(fullCount * length);
  const standsAlone = fullCount === 0 || 10 * remainder >= sampleRateHz;
  const segmentCount = fullCount + (standsAlone ? 1 : 0);
  return Array.from({ length: segmentCount }, (_, index) => {
    const startSample = Math.round(index * length);
    const end = index === segmentCount - 1 ? sampleCount : Math.round((index + 1) * length);
    return { startSample, sampleCount: end - startSample };
  });
}

/** As many samples as the ceiling holds behind a header, for sources that leave no remainder under a tenth of a second. */
export function cutWave(
  sampleCount: number,
  frameBytes: number,
  headerBytes: number,
  maxFileSizeBytes: number,
): readonly ExpectedSegment[] {
  // A chunk of odd length has a pad byte behind it (RIFF).
  const most = [0, 1, 2]
    .map((less) => Math.floor((maxFileSizeBytes - headerBytes) / frameBytes) - less)
    .find((count) => headerBytes + count * frameBytes + ((count * frameBytes) % 2) <= maxFileSizeBytes);
  if (most === undefined) throw new Error('the ceiling is too low');
  return Array.from({ length: Math.ceil(sampleCount / most) }, (_, index) => ({
    startSample: index * most,
    sampleCount: Math.min(most, sampleCount - index * most),
  }));
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
