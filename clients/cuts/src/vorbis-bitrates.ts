/**
 * The bitrates that libvorbis supports, by rate and number of channels.
 *
 * It has a mode for each range of rates, which accepts a range of bitrates per channel (`lib/vorbisenc.c` and
 * `lib/modes/setup_*.h` of libvorbis 1.3). Two channels have a mode of their own, in which they share bits,
 * and so have six at 44,100 and 48,000 Hz; where its range ends, the mode for any number of channels takes
 * over. A rate at which two modes meet has both.
 */

interface VorbisMode {
  readonly fromHz: number;
  readonly toHz: number;
  /** Undefined: any number. */
  readonly channels?: number;
  /** Bits a second and channel. */
  readonly least: number;
  readonly most: number;
}

/** Above it libvorbis accepts only qualities, to each of which belongs a bitrate at 44,100 Hz. */
export const MAX_VORBIS_BITRATE_HZ = 50_000;

const MODES: readonly VorbisMode[] = [
  { fromHz: 8_000, toHz: 9_000, channels: 2, least: 6_000, most: 32_000 },
  { fromHz: 8_000, toHz: 9_000, least: 8_000, most: 42_000 },
  { fromHz: 9_000, toHz: 15_000, channels: 2, least: 8_000, most: 44_000 },
  { fromHz: 9_000, toHz: 15_000, least: 12_000, most: 50_000 },
  { fromHz: 15_000, toHz: 19_000, channels: 2, least: 12_000, most: 86_000 },
  { fromHz: 15_000, toHz: 19_000, least: 16_000, most: 100_000 },
  { fromHz: 19_000, toHz: 26_000, channels: 2, least: 15_000, most: 86_000 },
  { fromHz: 19_000, toHz: 26_000, least: 16_000, most: 90_000 },
  { fromHz: 26_000, toHz: 40_000, channels: 2, least: 18_000, most: 190_000 },
  { fromHz: 26_000, toHz: 40_000, least: 30_000, most: 190_000 },
  { fromHz: 40_000, toHz: MAX_VORBIS_BITRATE_HZ, channels: 6, least: 14_000, most: 240_000 },
  { fromHz: 40_000, toHz: Number.POSITIVE_INFINITY, channels: 2, least: 22_500, most: 250_000 },
  { fromHz: 40_000, toHz: Number.POSITIVE_INFINITY, least: 32_000, most: 240_000 },
];

/** Of ogg in the API, which refuses lower rates by themselves. */
const LEAST_HZ = 8_000;
const LEAST = 16_000;
const MOST = 500_000;
/** As many as an Ogg that the engine writes can have. */
const MAX_CHANNELS = 8;

export interface VorbisSound {
  readonly sampleRate?: number | undefined;
  readonly channels?: number | undefined;
}

/** Bits a second. Without a rate, or without a number of channels: from the least to the most for any. */
export function vorbisBitrates({ sampleRate, channels }: VorbisSound): {
  readonly minimum: number;
  readonly maximum: number;
} {
  const rate = sampleRate && Math.max(LEAST_HZ, sampleRate);
  const modes = MODES.filter(
    (mode) =>
      (rate === undefined || (rate >= mode.fromHz && rate <= mode.toHz)) &&
      (channels === undefined || mode.channels === undefined || mode.channels === channels),
  );
  const least = modes.map((mode) => mode.least * (channels ?? mode.channels ?? 1));
  const most = modes.map((mode) => mode.most * (channels ?? mode.channels ?? MAX_CHANNELS));
  return { minimum: Math.max(LEAST, Math.min(...least)), maximum: Math.min(MOST, Math.max(...most)) };
}
