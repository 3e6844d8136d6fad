/**
 * How libvorbis is asked for a bitrate.
 *
 * It refuses bitrates outside of its tables for the rate (`lib/modes/setup_*.h` of libvorbis 1.3: one range
 * per channel, another one for two channels, which it couples). A bitrate outside the range is moved to the
 * nearer end. Above 50 kHz it supports only qualities; the quality that gives the bitrate at 44.1 kHz is used
 * there.
 */
import type { PcmShape } from './formats.ts';

interface BitrateRange {
  readonly belowHz: number;
  /** Bits per second and channel. */
  readonly coupled: readonly [least: number, most: number];
  readonly single: readonly [least: number, most: number];
}

const RANGES: readonly BitrateRange[] = [
  { belowHz: 9_000, coupled: [6_000, 32_000], single: [8_000, 42_000] },
  { belowHz: 15_000, coupled: [8_000, 44_000], single: [12_000, 50_000] },
  { belowHz: 19_000, coupled: [12_000, 86_000], single: [16_000, 100_000] },
  { belowHz: 26_000, coupled: [15_000, 86_000], single: [16_000, 90_000] },
  { belowHz: 40_000, coupled: [18_000, 190_000], single: [30_000, 190_000] },
  { belowHz: 50_000, coupled: [22_500, 250_000], single: [32_000, 240_000] },
];

/** Bits per second and channel of the qualities -1 to 10 at 44.1 kHz. */
const COUPLED_AT_QUALITY = [22.5, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 250];
const SINGLE_AT_QUALITY = [32, 48, 60, 70, 80, 86, 96, 110, 120, 140, 160, 240];
const LEAST_QUALITY = -1;

export function vorbisBitrateArgs(
  { sampleRateHz, channelCount }: PcmShape,
  bitrateBps: number,
): readonly string[] {
  const isCoupled = channelCount === 2;
  const range = RANGES.find(({ belowHz }) => sampleRateHz < belowHz);
  const perChannel = bitrateBps / channelCount;
  if (range === undefined) {
    const quality = qualityFor(perChannel / 1_000, isCoupled ? COUPLED_AT_QUALITY : SINGLE_AT_QUALITY);
    return ['-q:a', quality.toFixed(3)];
  }
  const [least, most] = isCoupled ? range.coupled : range.single;
  return ['-b:a', String(Math.round(Math.min(most, Math.max(least, perChannel)) * channelCount))];
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
