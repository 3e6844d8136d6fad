/** The encoding of segments: as requested and, if the request leaves it open, as in the source. */
import type { EncodingOptions } from '@audiosplit/cuts/cut-request';
import { applyPreset, checkEncoding } from '@audiosplit/cuts/encoding-options';
import { encodingUnsupported } from '../media-error.ts';
import { type DecodedSource, ENCODINGS, type Encoding, encodingFor, workingShape } from './encoding.ts';
import type { OutputFormat, PcmFormat, SourceContainer } from './formats.ts';
import { ownEncoding } from './own-format.ts';

export interface EncodingRequest {
  readonly outputFormat: OutputFormat | undefined;
  readonly encoding?: EncodingOptions | undefined;
  readonly preset?: 'speech' | undefined;
}

export interface ChosenEncoding {
  readonly encoding: Encoding;
  /** Whether anything besides a format is requested: samples may be changed on the way to the encoder. */
  readonly isAdjusted: boolean;
}

/** Throws ENCODING_UNSUPPORTED if the resulting format does not support the requested encoding. */
export function chooseEncoding(
  container: SourceContainer,
  source: DecodedSource,
  { outputFormat, encoding: asked, preset }: EncodingRequest,
): ChosenEncoding {
  if (asked === undefined && preset === undefined) {
    const encoding = outputFormat === undefined ? ownEncoding(container, source) : encodingFor(outputFormat);
    return { encoding, isAdjusted: false };
  }
  const { format, encoding: options } =
    preset === undefined
      ? { format: outputFormat, encoding: asked ?? {} }
      : applyPreset(preset, outputFormat, asked);
  const base = format === undefined ? encodedAnew(ownEncoding(container, source)) : encodingFor(format);
  const encoding = adjusted(base, options);
  refuseUnsupported(encoding, source, options);
  return { encoding, isAdjusted: true };
}

type Options = ReturnType<typeof applyPreset>['encoding'];

/** Opus sources that are encoded become Vorbis, which is the meaning of ogg everywhere else. */
function encodedAnew(own: Encoding): Encoding {
  return own.name === 'opus' ? ENCODINGS.ogg : own;
}

function refuseUnsupported(encoding: Encoding, source: DecodedSource, options: Options): void {
  const { outputFormat } = encoding;
  const faults = checkEncoding(outputFormat, options);
  if (faults.length === 0) {
    const { sampleRateHz, channelCount } = workingShape(encoding, source);
    const asEncoded = { bitrate: options.bitrate, sampleRate: sampleRateHz, channels: channelCount };
    // Only the bitrate: the rate is one that the format holds.
    faults.push(...checkEncoding(outputFormat, asEncoded).filter(({ field }) => field === 'bitrate'));
  }
  if (faults.length > 0)
    throw encodingUnsupported(faults.map(({ field, message }) => `encoding.${field} ${message}`));
}

function adjusted(base: Encoding, { sampleRate, channels, bitrate, bitDepth }: Options): Encoding {
  return {
    ...base,
    encoderArgs: (pcm) => base.encoderArgs(pcm, bitrate),
    ...(base.constantBitrateBps === undefined || bitrate === undefined
      ? {}
      : { constantBitrateBps: () => bitrate }),
    ...(sampleRate === undefined ? {} : { holdRate: () => sampleRate }),
    ...(channels === undefined ? {} : { channelCount: channels }),
    pcmFormats: pcmFormatsFor(base, bitDepth),
  };
}

/**
 * Lossy encoders take floats: the output of a gain or a resampler is not rounded, nor clipped at full scale,
 * before them.
 */
function pcmFormatsFor({ name, pcmFormats }: Encoding, bitDepth: number | undefined): readonly PcmFormat[] {
  if (name !== 'wav' && name !== 'flac') return ['f32le'];
  if (bitDepth === undefined) return pcmFormats;
  return [bitDepth === 16 ? 's16le' : 's24le'];
}
