import type { CompletedJob } from '@audiosplit/client';
import { formatBytes, formatClock } from './options/quantities.ts';

interface Made {
  readonly outputFormat?: CompletedJob['outputFormat'] | undefined;
  readonly sourceDuration?: CompletedJob['sourceDuration'] | undefined;
  readonly segments: readonly Pick<CompletedJob['segments'][number], 'size' | 'sizeIsEstimate'>[];
}

/** `6 segments, mp3, 0:48 of audio, 384 kB, in 2.4 s` */
export function describeSegments({ segments, outputFormat, sourceDuration }: Made, tookMs: number): string {
  const bytes = segments.reduce((sum, { size }) => sum + size, 0);
  const isEstimate = segments.some(({ sizeIsEstimate }) => sizeIsEstimate === true);
  return [
    `${segments.length} ${segments.length === 1 ? 'segment' : 'segments'}`,
    ...(outputFormat === undefined ? [] : [outputFormat]),
    ...(sourceDuration === undefined ? [] : [`${formatClock(sourceDuration)} of audio`]),
    `${isEstimate ? '~' : ''}${formatBytes(bytes)}`,
    `in ${(tookMs / 1000).toFixed(1)} s`,
  ].join(', ');
}
