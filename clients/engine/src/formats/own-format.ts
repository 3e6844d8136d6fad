/**
 * The format of segments if the request names none: the format of the source's codec, in any container. This
 * choice is made here only.
 *
 * | codec               | segments | copied out of
 * |---------------------|----------|---------------
 * | FLAC                | flac     | FLAC, Ogg, Matroska
 * | Opus                | ogg      | Ogg, Matroska (WebM), CAF
 * | Vorbis              | ogg      | Ogg, Matroska (WebM)
 * | AAC                 | aac      | MP4; ADTS, which stays ADTS
 * | mp3                 | mp3      | mp3
 * | PCM                 | wav      | WAV
 * | DSD                 | flac     |
 * | others without loss | flac     |
 * | others with loss    | mp3      |
 *
 * Two containers are formats themselves: any other codec in a WAV or an Ogg becomes wav or ogg again. Audio
 * that FLAC cannot hold unchanged (samples of more than 24 bits, more than 8 channels) becomes wav, so that
 * the choice loses nothing.
 */
import type { CopyContainer } from '../copy/copy-contract.ts';
import { type AudioStreamInfo, exactPcmFormat, isLossless } from '../ffmpeg/stream-info.ts';
import type { SniffedSource } from '../sniff/sniff.ts';
import { type DecodedSource, ENCODINGS, type Encoding, type EncodingName, pcmRate } from './encoding.ts';
import type { OutputFormat, SourceContainer } from './formats.ts';

interface OwnFormat {
  readonly encoding: EncodingName;
  readonly copiedFrom: Readonly<Partial<Record<SourceContainer, CopyContainer>>>;
}

const PCM: OwnFormat = { encoding: 'wav', copiedFrom: { wav: 'wav' } };
const OWN_FORMATS: ReadonlyMap<string, OwnFormat> = new Map([
  ['flac', { encoding: 'flac', copiedFrom: { flac: 'flac', ogg: 'ogg-flac', matroska: 'matroska-flac' } }],
  ['opus', { encoding: 'opus', copiedFrom: { ogg: 'ogg-opus', matroska: 'matroska-opus', caf: 'caf-opus' } }],
  ['vorbis', { encoding: 'ogg', copiedFrom: { ogg: 'ogg-vorbis', matroska: 'matroska-vorbis' } }],
  ['aac', { encoding: 'm4a', copiedFrom: { mp4: 'm4a', adts: 'adts' } }],
  ['aac_latm', { encoding: 'm4a', copiedFrom: {} }],
  ['mp3', { encoding: 'mp3', copiedFrom: { mp3: 'mp3' } }],
  ['pcm', PCM],
] as const);
const OTHERS_WITHOUT_LOSS: OwnFormat = { encoding: 'flac', copiedFrom: {} };
const OTHERS_WITH_LOSS: OwnFormat = { encoding: 'mp3', copiedFrom: {} };

/**
 * For containers whose first bytes do not show the codec. An mp4 with its index at the end most likely
 * contains AAC.
 */
const USUAL_CODECS: Readonly<Partial<Record<SourceContainer, string>>> = {
  mp3: 'mp3',
  wav: 'pcm',
  flac: 'flac',
  mp4: 'aac',
};

/** By ffmpeg's names of codecs. */
function ownFormat(stream: AudioStreamInfo): OwnFormat {
  const { codec } = stream;
  if (codec.startsWith('pcm_')) return PCM;
  return OWN_FORMATS.get(codec) ?? (isLossless(stream) ? OTHERS_WITHOUT_LOSS : OTHERS_WITH_LOSS);
}

interface OwnCopy {
  readonly container: CopyContainer;
  readonly encoding: EncodingName;
  readonly outputFormat: OutputFormat;
}

/** How a source that keeps its format is copied; undefined if it cannot be copied. */
export function ownCopy({ container, codec }: SniffedSource): OwnCopy | undefined {
  const likely = codec ?? USUAL_CODECS[container];
  if (likely === undefined) return undefined;
  // The sample format makes no difference to a copy.
  const { encoding, copiedFrom } = ownFormat({
    codec: likely,
    sampleFormat: 'flt',
    significantBits: undefined,
  });
  const copied = copiedFrom[container];
  return copied && { container: copied, encoding, outputFormat: ENCODINGS[encoding].outputFormat };
}

/** What a source is encoded to if it cannot be copied. */
export function ownEncoding(container: SourceContainer, source: DecodedSource): Encoding {
  if (container === 'wav' || container === 'uncommon-wav') return ENCODINGS.wav;
  const encoding = ENCODINGS[ownFormat(source.stream).encoding];
  if (container === 'ogg' && encoding.name === 'mp3') return ENCODINGS.ogg;
  return encoding.name === 'flac' && !holdsExactly(encoding, source) ? ENCODINGS.wav : encoding;
}

function holdsExactly({ pcmFormats, holdRate, maxChannels }: Encoding, source: DecodedSource): boolean {
  const exact = exactPcmFormat(source.stream);
  if (exact === undefined) return true;
  // Eight bits fit into sixteen.
  return (
    (exact === 'u8' || pcmFormats.includes(exact)) &&
    holdRate(pcmRate(source)) === pcmRate(source) &&
    source.channelCount <= maxChannels
  );
}
