/**
 * What each output is encoded to, and what it can hold. All such choices are made here.
 *
 * | output | encoding                         | why
 * |--------|----------------------------------|----------------------------------------------------------
 * | mp3    | LAME, constant bitrate by rate   | sizes by arithmetic, the same bitrate in both modes
 * | wav    | PCM at the source's depth        | no loss, sizes by arithmetic
 * | flac   | level 5, at most 24 bit          | the reference encoder's default
 * | ogg    | Vorbis quality 5, about 160 kb/s | transparent for most listeners, rate follows the content
 * | opus   | 96 kb/s a pair, 48 kHz           | only for Opus sources that stay Opus
 * | m4a    | AAC-LC, 160 kb/s a pair          | ffmpeg's own encoder is clean from there on
 *
 * `chosen-encoding.ts` applies what a request asks for instead.
 */

import { type AudioStreamInfo, exactPcmFormat, isDsd } from '../ffmpeg/stream-info.ts';
import type { OutputFormat, PcmFormat, PcmShape } from './formats.ts';
import { vorbisBitrateArgs } from './vorbis-bitrate.ts';

export type EncodingName = 'mp3' | 'wav' | 'flac' | 'ogg' | 'opus' | 'm4a';

export interface Encoding {
  readonly name: EncodingName;
  readonly outputFormat: OutputFormat;
  readonly extension: string;
  readonly contentType: string;
  /** ffmpeg's muxer; WAV needs none. */
  readonly muxer: string;
  /** Without a bitrate: the default, which follows the rate. */
  readonly encoderArgs: (pcm: PcmShape, bitrateBps?: number) => readonly string[];
  /** Bits per second, if all frames have the same number. */
  readonly constantBitrateBps?: (pcm: PcmShape) => number;
  /** The nearest rate that the format can hold, not below the source's if possible. */
  readonly holdRate: (sampleRateHz: number) => number;
  readonly maxChannels: number;
  /** Absent: the source's number of channels, as far as the format can hold them. */
  readonly channelCount?: number;
  /** Sample formats that are stored without loss; others are converted to the last one listed. */
  readonly pcmFormats: readonly PcmFormat[];
  /** How a finished file states its number of samples. */
  readonly container: 'mp3' | 'wav' | 'flac' | 'ogg' | 'opus' | 'm4a';
  /**
   * Seconds of audio that one core encodes per second, with the lean build, from one run with five minutes of
   * stereo. With an old or slow encoder the parts of a job take longer than necessary.
   */
  readonly speed: number;
}

const MP3_RATES_HZ = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];
const AAC_RATES_HZ = [
  7_350, 8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000,
];
/** libvorbis has no modes above it. */
const VORBIS_MAX_RATE_HZ = 192_000;
/**
 * The rates that a FLAC frame header can state; above 65,535 Hz only multiples of ten (RFC 9639 section
 * 9.1.2).
 */
const FLAC_MAX_RATE_HZ = 655_350;

/**
 * Bits per second. MPEG-2 and 2.5 (24 kHz and below) support only lower ones (ISO/IEC 13818-3 section
 * 2.4.2.3).
 */
function mp3Bitrate(pcm: Pick<PcmShape, 'sampleRateHz' | 'channelCount'>): number {
  const stereo = pcm.sampleRateHz >= 32_000 ? 192_000 : pcm.sampleRateHz >= 16_000 ? 128_000 : 64_000;
  return pcm.channelCount > 1 ? stereo : stereo / 2;
}

function perPair(bitsPerSecond: number, channelCount: number): string {
  return String(Math.round((bitsPerSecond * channelCount) / 2));
}

export const ENCODINGS: Readonly<Record<EncodingName, Encoding>> = {
  mp3: {
    name: 'mp3',
    outputFormat: 'mp3',
    extension: 'mp3',
    contentType: 'audio/mpeg',
    muxer: 'mp3',
    encoderArgs: (pcm, bitrateBps = mp3Bitrate(pcm)) => [
      '-c:a',
      'libmp3lame',
      '-b:a',
      String(bitrateBps),
      '-id3v2_version',
      '4',
      '-write_xing',
      '1',
    ],
    constantBitrateBps: mp3Bitrate,
    holdRate: (rate) => (rate > 48_000 && rate % 11_025 === 0 ? 44_100 : nextRate(MP3_RATES_HZ, rate)),
    maxChannels: 2,
    pcmFormats: ['s16le', 'f32le'],
    container: 'mp3',
    speed: 95,
  },
  wav: {
    name: 'wav',
    outputFormat: 'wav',
    extension: 'wav',
    contentType: 'audio/wav',
    muxer: 'wav',
    encoderArgs: () => [],
    holdRate: (rate) => rate,
    maxChannels: 255,
    pcmFormats: ['u8', 's24le', 's32le', 'f32le', 'f64le', 's16le'],
    container: 'wav',
    // No encoding at all.
    speed: Number.POSITIVE_INFINITY,
  },
  flac: {
    name: 'flac',
    outputFormat: 'flac',
    extension: 'flac',
    contentType: 'audio/flac',
    muxer: 'flac',
    encoderArgs: () => ['-c:a', 'flac', '-compression_level', '5'],
    holdRate: (rate) => Math.min(FLAC_MAX_RATE_HZ, rate > 65_535 ? Math.ceil(rate / 10) * 10 : rate),
    maxChannels: 8,
    pcmFormats: ['s24le', 's16le'],
    container: 'flac',
    speed: 700,
  },
  ogg: {
    name: 'ogg',
    outputFormat: 'ogg',
    extension: 'ogg',
    contentType: 'audio/ogg',
    muxer: 'ogg',
    encoderArgs: (pcm, bitrateBps) => [
      '-c:a',
      'libvorbis',
      ...(bitrateBps === undefined ? ['-q:a', '5'] : vorbisBitrateArgs(pcm, bitrateBps)),
    ],
    holdRate: (rate) => (rate > VORBIS_MAX_RATE_HZ ? 48_000 : Math.max(8_000, rate)),
    maxChannels: 8,
    pcmFormats: ['s16le', 'f32le'],
    container: 'ogg',
    speed: 120,
  },
  opus: {
    name: 'opus',
    outputFormat: 'ogg',
    extension: 'opus',
    contentType: 'audio/ogg; codecs=opus',
    muxer: 'opus',
    encoderArgs: (pcm) => ['-c:a', 'libopus', '-b:a', perPair(96_000, Math.max(2, pcm.channelCount))],
    holdRate: () => 48_000,
    maxChannels: 8,
    pcmFormats: ['s16le', 'f32le'],
    container: 'opus',
    // Estimated: nothing is converted to opus.
    speed: 100,
  },
  m4a: {
    name: 'm4a',
    outputFormat: 'aac',
    extension: 'm4a',
    contentType: 'audio/mp4',
    muxer: 'ipod',
    encoderArgs: (pcm, bitrateBps = aacBitrate(pcm)) => [
      '-c:a',
      'aac',
      '-b:a',
      String(bitrateBps),
      '-movflags',
      '+faststart',
    ],
    holdRate: (rate) => nextRate(AAC_RATES_HZ, rate),
    maxChannels: 6,
    pcmFormats: ['s16le', 'f32le'],
    container: 'm4a',
    speed: 80,
  },
};

/**
 * At most two thirds of what AAC allows: a frame holds at most 6,144 bits per channel and 1,024 samples
 * (ISO/IEC 14496-3 section 4.5.3.2).
 */
function aacBitrate(pcm: PcmShape): number {
  const perChannel = Math.min(80_000, 4 * pcm.sampleRateHz);
  return Math.round(perChannel * pcm.channelCount);
}

/** The smallest listed rate that is not below the given one, otherwise the largest. */
function nextRate(rates: readonly number[], rate: number): number {
  return rates.find((candidate) => candidate >= rate) ?? rates.at(-1) ?? rate;
}

/** What determines the shape of its samples. */
export interface DecodedSource {
  readonly stream: AudioStreamInfo;
  readonly sampleRateHz: number;
  readonly channelCount: number;
}

/**
 * The rate to which DSD is converted: its audio ends far below half of that rate, and above it the decoder's
 * output (at an eighth of DSD's rate, 352,800 Hz and more) is noise.
 */
const DSD_PCM_RATE_HZ = 88_200;

/** The shape in which a decoded source is passed to the encoder: segments are counted at its rate. */
export function workingShape(encoding: Encoding, source: DecodedSource): PcmShape {
  const { channelCount = source.channelCount <= encoding.maxChannels ? source.channelCount : 2 } = encoding;
  return {
    format: workingFormat(encoding, exactPcmFormat(source.stream)),
    sampleRateHz: encoding.holdRate(pcmRate(source)),
    channelCount,
  };
}

/** The rate of a source as PCM. */
export function pcmRate({ stream, sampleRateHz }: DecodedSource): number {
  return isDsd(stream.codec) ? DSD_PCM_RATE_HZ : sampleRateHz;
}

function workingFormat(encoding: Encoding, exact: PcmFormat | undefined): PcmFormat {
  const last = encoding.pcmFormats.at(-1) ?? 's16le';
  // A decoder's float output of a lossy source holds noise beyond 16 bit, which would only enlarge lossless
  // outputs.
  if (exact === undefined) return last;
  if (encoding.pcmFormats.includes(exact)) return exact;
  // More than the format holds: as many bits as possible are kept.
  return encoding.name === 'flac' && exact !== 'u8' ? (encoding.pcmFormats[0] ?? last) : last;
}

export function encodingFor(format: OutputFormat): Encoding {
  return format === 'aac' ? ENCODINGS.m4a : ENCODINGS[format];
}
