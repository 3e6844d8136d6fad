/**
 * What a source becomes that is split without naming a format: the format of its codec, whatever holds it. The one
 * place for that choice.
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
 * Two containers are formats of their own: what else a WAV or an Ogg holds becomes wav or ogg again. Sound that FLAC
 * cannot hold as it is (samples of more than 24 bits, more than 8 channels) becomes wav, so nothing is lost to the
 * choice.
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

/** Where the first bytes leave the codec open. An mp4 whose index lies at its end is most likely AAC. */
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

/** How a source is copied that keeps its format; undefined where it cannot be. */
export function ownCopy({ container, codec }: SniffedSource): OwnCopy | undefined {
  const likely = codec ?? USUAL_CODECS[container];
  if (likely === undefined) return undefined;
  // The sample format makes no difference to what is copied.
  const { encoding, copiedFrom } = ownFormat({
    codec: likely,
    sampleFormat: 'flt',
    significantBits: undefined,
  });
  const copied = copiedFrom[container];
  return copied && { container: copied, encoding, outputFormat: ENCODINGS[encoding].outputFormat };
}

/** What a source is encoded to where it cannot be copied. */
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
