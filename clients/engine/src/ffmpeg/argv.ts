import type { PcmFormat, PcmShape, SourceContainer } from '../formats/formats.ts';
import { DECODERS, DEMUXERS, SEEKING_CONTAINERS } from './demuxers.ts';

interface SourceInput {
  readonly container: SourceContainer;
  /** File name in the working folder, or an absolute path; absent: stdin. */
  readonly sourceName?: string | undefined;
}

export interface DecodeRequest extends SourceInput {
  /** ffmpeg's name of the decoder; absent: ffmpeg chooses. */
  readonly decoder?: string | undefined;
  /** Also returns the samples that the decoder would skip at the beginning. */
  readonly keepsPriming?: boolean;
  readonly format: PcmFormat;
  /** Absent: the source's own. */
  readonly sampleRateHz?: number;
  readonly channelCount?: number;
  /** The filters for the decoded samples, in order. */
  readonly filters?: readonly string[];
  /**
   * To pipe 3. `tags`: ffmpeg's metadata format; `count`: a WAV stream of one byte per sample at the source's
   * own rate.
   */
  readonly sideOutput?: 'tags' | 'count';
  /** Decodes no more than the first frame. */
  readonly firstFrameOnly?: boolean;
}

/** A stretch of a source on this machine, counted from its first audible sample. */
interface DecodeWindowRequest {
  readonly container: SourceContainer;
  readonly path: string;
  readonly format: PcmFormat;
  readonly fromSeconds: number;
  readonly toSeconds: number;
}

/** A file in the working folder that the encoder decodes itself. */
export interface PieceFile {
  readonly container: SourceContainer;
  readonly name: string;
}

interface EncodeRequest {
  /** The encoder's input; for a piece, the shape it is decoded to. */
  readonly pcm: PcmShape;
  /** Absent: raw PCM from stdin. */
  readonly piece?: PieceFile | undefined;
  readonly encoderArgs: readonly string[];
  readonly muxer: string;
  readonly tags: ReadonlyMap<string, string>;
  /** File name in the working folder; absent: stdout. */
  readonly outputName?: string | undefined;
  /** Pipe 3 is read to the end. */
  readonly isWatched: boolean;
}

const QUIET = ['-nostdin', '-hide_banner', '-nostats'];

/** True if a source on disk is best read by ffmpeg itself; otherwise it becomes stdin. */
export function readsFromFile(container: SourceContainer): boolean {
  return SEEKING_CONTAINERS.has(container);
}

/**
 * Decodes the first audio stream to a WAV stream on stdout, whose header states the rate and the channels.
 */
export function decodeArgv(request: DecodeRequest): readonly string[] {
  return [
    ...sourceArgs(request, [
      ...(request.decoder === undefined ? [] : ['-c:a', request.decoder]),
      ...(request.keepsPriming === true ? ['-flags2', '+skip_manual'] : []),
    ]),
    ...(request.filters === undefined || request.filters.length === 0
      ? []
      : ['-af', request.filters.join(',')]),
    ...(request.sampleRateHz === undefined ? [] : ['-ar', String(request.sampleRateHz)]),
    ...(request.channelCount === undefined ? [] : ['-ac', String(request.channelCount)]),
    '-c:a',
    `pcm_${request.format}`,
    ...(request.firstFrameOnly === true ? ['-frames:a', '1'] : []),
    ...STREAMED_WAV,
    'pipe:1',
    ...sideArgs(request),
  ];
}

/** The same for a part of a file, selected by time. */
export function decodeWindowArgv(request: DecodeWindowRequest): readonly string[] {
  const { container, path: sourceName, format, fromSeconds, toSeconds } = request;
  return [
    ...sourceArgs({ container, sourceName }, [
      ...(fromSeconds > 0 ? ['-ss', fromSeconds.toFixed(6)] : []),
      ...['-t', (toSeconds - fromSeconds).toFixed(6)],
    ]),
    ...['-c:a', `pcm_${format}`, ...STREAMED_WAV, 'pipe:1'],
  ];
}

/**
 * Measures raw PCM from stdin by EBU R 128, true peak included. The summary is printed on stderr; nothing is
 * written. The filter's log of each moment would interfere, so it is set to a level that is not shown.
 */
export function measureLoudnessArgv(pcm: PcmShape): readonly string[] {
  return [
    ...QUIET,
    ...rawInputArgs(pcm, 'info'),
    ...['-filter:a', 'ebur128=peak=true:framelog=verbose', '-c:a', 'pcm_s16le', '-f', 'null', '-'],
  ];
}

/**
 * Copies the packets of the first audio stream, including those before the first key frame: to a Matroska on
 * stdout, and unchanged and concatenated to pipe 3.
 */
export function remuxArgv(input: SourceInput): readonly string[] {
  const copied = ['-c:a', 'copy', '-copyinkf', '-map_chapters', '-1', '-fflags', '+bitexact'];
  return [
    ...[...sourceArgs(input, []), ...copied, '-f', 'matroska', 'pipe:1'],
    ...['-map', '0:a:0', '-map_metadata', '-1', ...copied, '-f', 'data', 'pipe:3'],
  ];
}

/** Describes the streams of a source on stderr, and then fails because there is no output. */
export function listArgv({ container, sourceName }: SourceInput): readonly string[] {
  return inputArgs({ container, sourceName }, []);
}

/**
 * Copies audio stream `index`, counted from 0, with the source's tags, to a Matroska or an MPEG transport
 * stream on stdout.
 */
export function isolateArgv(
  input: SourceInput,
  {
    index,
    muxer,
    encoder,
  }: { readonly index: number; readonly muxer: 'matroska' | 'mpegts'; readonly encoder: string },
): readonly string[] {
  return [
    ...inputArgs(input, ['-fflags', '+genpts']),
    ...['-map', `0:a:${index}`, '-c:a', encoder, '-copyinkf', '-map_chapters', '-1'],
    ...['-fflags', '+bitexact', '-f', muxer, 'pipe:1'],
  ];
}

/**
 * The first audio stream of a source, without tags.
 *
 * Only the named demuxer is allowed, so a playlist that the sniffing missed is a parse error and not a list
 * of files to open. The only protocol allowed is that of the input itself.
 */
function sourceArgs(input: SourceInput, extraArgs: readonly string[]): readonly string[] {
  return [...inputArgs(input, extraArgs), ...['-map', '0:a:0', '-vn', '-sn', '-dn', '-map_metadata', '-1']];
}

function inputArgs({ container, sourceName }: SourceInput, extraArgs: readonly string[]): readonly string[] {
  const demuxer = DEMUXERS[container];
  return [
    ...QUIET,
    '-loglevel',
    'info',
    '-threads',
    '1',
    '-protocol_whitelist',
    sourceName === undefined ? 'pipe' : 'file',
    '-format_whitelist',
    demuxer,
    '-codec_whitelist',
    DECODERS,
    ...extraArgs,
    '-f',
    demuxer,
    '-i',
    sourceName === undefined ? 'pipe:0' : `file:${sourceName}`,
  ];
}

/**
 * Packets are collected: otherwise ffmpeg writes each one separately to a pipe, and its reader wakes for a
 * few KiB each time.
 */
const STREAMED_WAV = ['-fflags', '+bitexact', '-flush_packets', '0', '-f', 'wav'];

function sideArgs({ sideOutput, container }: DecodeRequest): readonly string[] {
  switch (sideOutput) {
    case 'tags':
      return tagArgs(container);
    case 'count':
      return ['-map', '0:a:0', '-map_metadata', '-1', '-c:a', 'pcm_u8', ...STREAMED_WAV, 'pipe:3'];
    case undefined:
      return [];
    default:
      return sideOutput satisfies never;
  }
}

/** Ogg stores its comments on the stream, all others on the file. */
function tagArgs(container: SourceContainer): readonly string[] {
  return [
    '-map_metadata',
    container === 'ogg' ? '0:s:0' : '0',
    '-map_chapters',
    '-1',
    '-f',
    'ffmetadata',
    'pipe:3',
  ];
}

/**
 * Encodes raw PCM from stdin, or a piece of the source, into one file, or to stdout. `+bitexact` omits
 * versions and random serials. Progress goes to pipe 3 only if that is read, because a full pipe stops the
 * encoder. For a piece, stderr states how many samples were encoded.
 */
export function encodeArgv(request: EncodeRequest): readonly string[] {
  const { pcm, piece } = request;
  return [
    ...QUIET,
    ...(request.isWatched ? ['-progress', 'pipe:3'] : []),
    ...(piece === undefined ? rawInputArgs(pcm) : pieceArgs(piece, pcm)),
    '-map',
    '0:a:0',
    '-map_metadata',
    '-1',
    ...[...request.tags].flatMap(([name, value]) => ['-metadata', `${name}=${value}`]),
    '-fflags',
    '+bitexact',
    '-flags:a',
    '+bitexact',
    '-threads',
    '1',
    ...request.encoderArgs,
    '-f',
    request.muxer,
    '-y',
    request.outputName === undefined ? 'pipe:1' : `file:${request.outputName}`,
  ];
}

function rawInputArgs(pcm: PcmShape, logLevel: 'error' | 'info' = 'error'): readonly string[] {
  return [
    '-loglevel',
    logLevel,
    '-protocol_whitelist',
    'pipe',
    '-format_whitelist',
    pcm.format,
    '-f',
    pcm.format,
    '-ar',
    String(pcm.sampleRateHz),
    '-ac',
    String(pcm.channelCount),
    '-i',
    'pipe:0',
  ];
}

/** Interleaved or not, as the codecs on both sides use it: the samples are the same. */
const SAMPLE_FORMATS: Readonly<Record<PcmFormat, string>> = {
  u8: 'u8|u8p',
  s16le: 's16|s16p',
  s24le: 's32|s32p',
  s32le: 's32|s32p',
  f32le: 'flt|fltp',
  f64le: 'dbl|dblp',
};

function pieceArgs({ container, name }: PieceFile, pcm: PcmShape): readonly string[] {
  const demuxer = DEMUXERS[container];
  return [
    // The log level at which ffmpeg prints the number of encoded samples.
    '-loglevel',
    'verbose',
    '-threads',
    '1',
    '-protocol_whitelist',
    'file',
    '-format_whitelist',
    demuxer,
    '-codec_whitelist',
    DECODERS,
    '-f',
    demuxer,
    '-i',
    `file:${name}`,
    '-vn',
    '-sn',
    '-dn',
    '-af',
    `aformat=sample_fmts=${SAMPLE_FORMATS[pcm.format]}`,
    '-ac',
    String(pcm.channelCount),
  ];
}
