import type { Readable } from 'node:stream';
import { decodeArgv } from '../../ffmpeg/argv.ts';
import { FfmpegError, type FfmpegRuntime } from '../../ffmpeg/run.ts';
import type { PcmFormat } from '../../formats/formats.ts';
import { MediaError } from '../../media-error.ts';
import { parseWavHeader, type StreamedWavHeader } from '../samples/wav-header.ts';
import type { SourceFile } from './source-file.ts';
import { type FedSource, startOnSource } from './source-process.ts';

const MAX_HEADER_BYTES = 64 * 1024;

export interface DecodeShape {
  /** ffmpeg's name of the decoder; absent: ffmpeg chooses. */
  readonly decoder?: string | undefined;
  /** Also returns the samples that the decoder would skip at the beginning. */
  readonly keepsPriming?: boolean;
  readonly format: PcmFormat;
  readonly sampleRateHz?: number;
  readonly channelCount?: number;
  readonly filters?: readonly string[];
  /**
   * `tags`: ffmpeg's metadata format; `count`: a WAV stream of one byte per sample at the source's own rate.
   */
  readonly sideOutput?: 'tags' | 'count';
  /** Decodes no more than the first frame. */
  readonly firstFrameOnly?: boolean;
}

/**
 * A running decoder whose header has been read. `pcm` returns raw interleaved samples and throws if decoding
 * fails.
 */
interface Decoder extends AsyncDisposable {
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly pcm: AsyncIterable<Buffer>;
  /** ffmpeg's description of the source. */
  stderr(): string;
}

/** Throws UNSUPPORTED_MEDIA if the source holds no audio that can be decoded. */
export async function openDecoder(
  runtime: FfmpegRuntime,
  source: SourceFile | FedSource,
  shape: DecodeShape,
  readSideOutput?: (stream: Readable) => void,
): Promise<Decoder> {
  const { container } = source;
  const decoding = await startOnSource(runtime, source, {
    argsFor: (sourceName) => decodeArgv({ ...shape, container, sourceName }),
    feedEndsWithChild: shape.firstFrameOnly === true,
    readSideOutput,
  });
  const { child } = decoding;
  try {
    const stream = await readWavStream(child.stdout);
    if (stream === undefined) {
      await decoding.finish();
      throw noAudio();
    }
    const { header, data } = stream;
    async function* pcm(): AsyncGenerator<Buffer> {
      try {
        yield* data;
        await decoding.finish();
      } catch (error) {
        throw asMediaError(error);
      }
    }
    return {
      sampleRateHz: header.sampleRateHz,
      channelCount: header.channelCount,
      pcm: pcm(),
      stderr: child.stderr,
      [Symbol.asyncDispose]: () => decoding[Symbol.asyncDispose](),
    };
  } catch (error) {
    await decoding[Symbol.asyncDispose]();
    throw asMediaError(error);
  }
}

/** A WAV stream from ffmpeg, without its header; undefined if it ends before its samples begin. */
export async function readWavStream(
  stream: Readable,
): Promise<{ readonly header: StreamedWavHeader; readonly data: AsyncGenerator<Buffer> } | undefined> {
  const chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let head = Buffer.alloc(0);
  let header = parseWavHeader(head);
  while (header === undefined && head.length < MAX_HEADER_BYTES) {
    const next = await chunks.next();
    if (next.done === true) break;
    head = Buffer.concat([head, next.value]);
    header = parseWavHeader(head);
  }
  if (header === undefined || header.sampleRateHz === 0 || header.channelCount === 0) {
    // A child process whose output is not read would never end.
    await chunks.return?.();
    return undefined;
  }
  const rest = head.subarray(header.headerBytes);
  async function* data(): AsyncGenerator<Buffer> {
    if (rest.length > 0) yield rest;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  }
  return { header, data: data() };
}

export function noAudio(cause?: unknown): MediaError {
  return new MediaError('UNSUPPORTED_MEDIA', 'The source holds no audio that can be decoded.', { cause });
}

/**
 * If a decoder gives up or reaches its limits, the input is at fault; if it never ran or was killed, it is
 * not.
 */
function asMediaError(error: unknown): unknown {
  if (!(error instanceof FfmpegError)) return error;
  const isSourcesFault = error.exitCode !== null || BAD_INPUT_SIGNALS.has(error.exitSignal ?? '');
  return isSourcesFault ? noAudio(error) : error;
}

/** A crash on the input, or the CPU limit. */
const BAD_INPUT_SIGNALS: ReadonlySet<string> = new Set([
  'SIGSEGV',
  'SIGABRT',
  'SIGFPE',
  'SIGBUS',
  'SIGILL',
  'SIGXCPU',
]);
