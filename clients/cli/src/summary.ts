import type { Manifest } from './manifest.ts';
import { formatBytes, formatClock } from './quantities.ts';

/** `6 segments, mp3, 0:48 of audio, 384 kB, in 2.4 s` */
export function describeManifest(
  { segments, outputFormat, sourceDuration }: Manifest,
  tookMs: number,
): string {
  const bytes = segments.reduce((sum, { size }) => sum + size, 0);
  return [
    `${segments.length} ${segments.length === 1 ? 'segment' : 'segments'}`,
    ...(outputFormat === undefined ? [] : [outputFormat]),
    ...(sourceDuration === undefined ? [] : [`${formatClock(sourceDuration)} of audio`]),
    formatBytes(bytes),
    `in ${(tookMs / 1000).toFixed(1)} s`,
  ].join(', ');
}
