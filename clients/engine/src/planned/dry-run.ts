import type { Piece } from '@audiosplit/cuts/plan/piece';
import { bitsPerSecond } from '../formats/estimate-size.ts';
import type { FinishedSegment } from '../media.ts';
import type { PlannedSplit } from './prepare.ts';

/** The segments that would be encoded, with the approximate sizes of their files. */
export function dryRunSegments({ route }: PlannedSplit, pieces: readonly Piece[]): FinishedSegment[] {
  if (route.kind !== 'encode') throw new TypeError('copies are measured');
  const { encoding, pcm } = route.shape;
  const { extension, contentType } = encoding;
  const bytesPerSecond = bitsPerSecond(encoding, pcm) / 8;
  return pieces.map(({ startSeconds, endSeconds }, index) => {
    const startSample = Math.round(startSeconds * pcm.sampleRateHz);
    const sampleCount = Math.round(endSeconds * pcm.sampleRateHz) - startSample;
    const sizeBytes = Math.round((sampleCount / pcm.sampleRateHz) * bytesPerSecond);
    return {
      index,
      path: '',
      extension,
      contentType,
      startSample,
      sampleCount,
      sampleRateHz: pcm.sampleRateHz,
      sizeBytes,
    };
  });
}
