/**
 * How libvorbis is asked for a bitrate that it supports (`@audiosplit/cuts/vorbis-bitrates`). Above 50 kHz it
 * supports only qualities; the quality that gives the bitrate at 44.1 kHz is used there.
 */
import { MAX_VORBIS_BITRATE_HZ } from '@audiosplit/cuts/vorbis-bitrates';
import type { PcmShape } from './formats.ts';

/** Bits per second and channel of the qualities -1 to 10 at 44.1 kHz. */
const COUPLED_AT_QUALITY = [22.5, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 250];
const SINGLE_AT_QUALITY = [32, 48, 60, 70, 80, 86, 96, 110, 120, 140, 160, 240];
const LEAST_QUALITY = -1;
/** ffmpeg's FF_QP2LAMBDA. */
const LAMBDA_PER_QUALITY = 118;

export function vorbisBitrateArgs(
  { sampleRateHz, channelCount }: PcmShape,
  bitrateBps: number,
): readonly string[] {
  if (sampleRateHz <= MAX_VORBIS_BITRATE_HZ) return ['-b:a', String(bitrateBps)];
  const atQuality = channelCount === 2 ? COUPLED_AT_QUALITY : SINGLE_AT_QUALITY;
  const quality = qualityFor(bitrateBps / channelCount / 1_000, atQuality);
  // Not `-q:a`, because ffmpeg ignores it below 0 and uses its default quality.
  return ['-flags:a', '+qscale', '-global_quality:a', String(Math.round(quality * LAMBDA_PER_QUALITY))];
}

/** Interpolated between the listed ones. */
function qualityFor(kilobits: number, atQuality: readonly number[]): number {
  const above = atQuality.findIndex((listed) => listed >= kilobits);
  if (above < 0) return LEAST_QUALITY + atQuality.length - 1;
  const upper = atQuality[above] ?? kilobits;
  const lower = atQuality[above - 1];
  const missing = lower === undefined ? 0 : (upper - kilobits) / (upper - lower);
  return LEAST_QUALITY + above - missing;
}
