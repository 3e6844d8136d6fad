/** What segments are encoded to: as asked for and, where that leaves it open, as the source has it. */
import type { EncodingOptions } from '@audiosplit/cuts/cut-request';
import { applyPreset, checkEncoding } from '@audiosplit/cuts/encoding-options';
import { encodingUnsupported } from '../media-error.ts';
import { type DecodedSource, ENCODINGS, type Encoding, encodingFor, pcmRate } from './encoding.ts';
import type { OutputFormat, PcmFormat, SourceContainer } from './formats.ts';
import { ownEncoding } from './own-format.ts';

export interface EncodingRequest {
  readonly outputFormat: OutputFormat | undefined;
  readonly encoding?: EncodingOptions | undefined;
  readonly preset?: 'speech' | undefined;
}

export interface ChosenEncoding {
  readonly encoding: Encoding;
  /** Whether anything is asked for but a format: the samples may be changed on the way to the encoder. */
  readonly isAdjusted: boolean;
}

/** Throws ENCODING_UNSUPPORTED where the format that the source leads to cannot do what is asked. */
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
  refuseUnsupported(base, source, options);
  return { encoding: adjusted(base, options), isAdjusted: true };
}

type Options = ReturnType<typeof applyPreset>['encoding'];

/** Opus sources that are encoded become Vorbis, which ogg means everywhere else. */
function encodedAnew(own: Encoding): Encoding {
  return own.name === 'opus' ? ENCODINGS.ogg : own;
}

function refuseUnsupported(
  { outputFormat, holdRate }: Encoding,
  source: DecodedSource,
  options: Options,
): void {
  const { sampleRate, bitrate } = options;
  const faults = checkEncoding(outputFormat, options).map(
    ({ field, message }) => `encoding.${field} ${message}`,
  );
  if (faults.length === 0 && bitrate !== undefined && sampleRate === undefined) {
    const atSourceRate = { bitrate, sampleRate: holdRate(pcmRate(source)) };
    for (const { field, message } of checkEncoding(outputFormat, atSourceRate))
      if (field === 'bitrate') faults.push(`encoding.bitrate ${message}`);
  }
  if (faults.length > 0) throw encodingUnsupported(faults);
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

/** Encoders with loss take floats: what a gain or a resampler makes is not rounded, nor cut off at full scale, before them. */
function pcmFormatsFor({ name, pcmFormats }: Encoding, bitDepth: number | undefined): readonly PcmFormat[] {
  if (name !== 'wav' && name !== 'flac') return ['f32le'];
  if (bitDepth === undefined) return pcmFormats;
  return [bitDepth === 16 ? 's16le' : 's24le'];
}
