import type { PcmFormat } from '../formats/formats.ts';

/** The first audio stream of an input, as ffmpeg describes it. */
export interface AudioStreamInfo {
  /** ffmpeg's codec name, such as `mp3`, `aac`, `pcm_s24le`. */
  readonly codec: string;
  /** The decoder's sample format, such as `fltp` or `s32`. */
  readonly sampleFormat: string;
  /** The number of significant bits, if it is smaller than the sample format's. */
  readonly significantBits: number | undefined;
}

const AUDIO_STREAM = /^ {2,4}Stream #0:\d+[^\n]*?: Audio: ([a-z0-9_]+)([^\n]*)$/m;
const SAMPLE_FORMAT = /, (u8|s16|s32|s64|flt|dbl)p?(?: \((\d+) bit\))?(?:,|$| )/;

/** Parses ffmpeg's stderr at log level info; undefined if it contains no audio stream. */
export function parseAudioStream(stderr: string): AudioStreamInfo | undefined {
  const match = AUDIO_STREAM.exec(stderr);
  const codec = match?.[1];
  if (codec === undefined) return undefined;
  const format = SAMPLE_FORMAT.exec(match?.[2] ?? '');
  return {
    codec,
    sampleFormat: format?.[1] ?? 'flt',
    significantBits: format?.[2] === undefined ? undefined : Number(format[2]),
  };
}

export interface ListedAudioStream {
  /** Among all streams of the source. */
  readonly streamIndex: number;
  /** As its container states it. */
  readonly language: string | undefined;
  readonly codec: string;
}

const LISTED_STREAM = /^ {2,4}Stream #0:(\d+)(?:\[0x[0-9a-f]+\])?(?:\(([^)\n]*)\))?: Audio: (\w+)/gm;

/** All audio streams in ffmpeg's description of an input, in order. */
export function parseAudioStreams(stderr: string): readonly ListedAudioStream[] {
  return [...stderr.matchAll(LISTED_STREAM)].map(([, index, language, codec = '']) => ({
    streamIndex: Number(index),
    language,
    codec,
  }));
}

const LOSSLESS_CODECS = new Set(['flac', 'alac', 'ape', 'wavpack', 'tta', 'wmalossless', 'mlp', 'truehd']);

export function isLossless({ codec, sampleFormat }: AudioStreamInfo): boolean {
  if (LOSSLESS_CODECS.has(codec) || codec.startsWith('pcm_') || isDsd(codec)) return true;
  // DTS-HD Master Audio is decoded to integers, lossy DTS to floats.
  return codec === 'dts' && (sampleFormat === 's16' || sampleFormat === 's32');
}

/** One bit per sample at a very high rate; DST is the same with lossless compression. */
export function isDsd(codec: string): boolean {
  return codec.startsWith('dsd_') || codec === 'dst';
}

/** The PCM format that holds every bit of a lossless source; undefined for a lossy one. */
export function exactPcmFormat(stream: AudioStreamInfo): PcmFormat | undefined {
  if (!isLossless(stream)) return undefined;
  // The decoder converts it to floats with a filter.
  if (isDsd(stream.codec)) return 's24le';
  // ffmpeg decodes at most 24 bits of Monkey's Audio, and does not report how many it has.
  if (stream.codec === 'ape' && stream.sampleFormat === 's32') return 's24le';
  switch (stream.sampleFormat) {
    case 'u8':
      return 'u8';
    case 's16':
      return 's16le';
    case 's32':
      return stream.significantBits !== undefined && stream.significantBits <= 24 ? 's24le' : 's32le';
    case 'dbl':
    case 's64':
      return 'f64le';
    default:
      return 'f32le';
  }
}

const OUTPUT_STREAM = /^ {2}Output stream #0:0 \(audio\): \d+ frames encoded \((\d+) samples\)/gm;

/** The number of samples that an encoder received, from the end of its stderr at log level verbose. */
export function parseEncodedSamples(stderr: string): number | undefined {
  const count = [...stderr.matchAll(OUTPUT_STREAM)].at(-1)?.[1];
  return count === undefined ? undefined : Number(count);
}

/** The encoded seconds according to the latest complete `-progress` line; undefined if there is none. */
export function parseEncodedSeconds(progress: string): number | undefined {
  // Both names mean microseconds.
  const microseconds = [...progress.matchAll(/^out_time_(?:us|ms)=(\d+)$/gm)].at(-1)?.[1];
  return microseconds === undefined ? undefined : Number(microseconds) / 1e6;
}
