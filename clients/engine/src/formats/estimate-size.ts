import { frameBytes } from '../convert/samples/wav-header.ts';
import type { Encoding } from './encoding.ts';
import type { PcmShape } from './formats.ts';

/** FLAC's usual size as a share of the samples' bytes. */
const FLAC_SHARE = 0.6;
/** For Vorbis at quality 5, per channel at 44,100 Hz. */
const VORBIS_BITS_PER_SECOND = 80_000;
const CD_RATE_HZ = 44_100;

/**
 * The approximate number of bits per second of audio; exact for constant bitrates, except for headers and
 * tags.
 */
export function bitsPerSecond(encoding: Encoding, pcm: PcmShape): number {
  const rawBitsPerSecond = 8 * frameBytes(pcm) * pcm.sampleRateHz;
  if (encoding.name === 'wav') return rawBitsPerSecond;
  if (encoding.name === 'flac') return FLAC_SHARE * rawBitsPerSecond;
  const args = encoding.encoderArgs(pcm);
  const bitrateAt = args.indexOf('-b:a') + 1;
  if (bitrateAt > 0) return Number(args[bitrateAt]);
  return VORBIS_BITS_PER_SECOND * pcm.channelCount * Math.min(1, pcm.sampleRateHz / CD_RATE_HZ);
}
