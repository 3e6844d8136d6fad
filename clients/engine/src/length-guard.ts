import { MediaError } from './media-error.ts';

/** A function that throws QUOTA_EXCEEDED once it is given more audible samples than allowed. */
export function createLengthGuard(
  maxSourceDurationMs: number | undefined,
  sampleRateHz: number,
): (audibleSampleCount: number) => void {
  if (maxSourceDurationMs === undefined) return () => undefined;
  const maxSamples = (maxSourceDurationMs * sampleRateHz) / 1000;
  return (audibleSampleCount) => {
    if (audibleSampleCount > maxSamples) {
      throw new MediaError('QUOTA_EXCEEDED', 'The source is longer than the minutes left in this period.');
    }
  };
}
