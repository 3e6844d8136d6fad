import { open } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { decodeArgv, readsFromFile } from '../../ffmpeg/argv.ts';
import { decodeCpuSeconds } from '../../ffmpeg/limits.ts';
import { FfmpegError, type FfmpegProcess, type FfmpegRuntime, startFfmpeg } from '../../ffmpeg/run.ts';
import type { PcmFormat, SourceContainer } from '../../formats/formats.ts';
import { MediaError } from '../../media-error.ts';
import { parseWavHeader, type StreamedWavHeader } from '../samples/wav-header.ts';
import type { SourceFile } from './source-file.ts';

/** A decoder waits while segments are handed out, so its wall limit is only a last resort. */
const DECODE_WALL_LIMIT_MS = 12 * 60 * 60 * 1000;
const MAX_HEADER_BYTES = 64 * 1024;

export interface DecodeShape {
  /** ffmpeg's name of the decoder; absent: as ffmpeg chooses. */
  readonly decoder?: string | undefined;
  /** Samples that the decoder would skip at the beginning are given as well. */
  readonly keepsPriming?: boolean;
  readonly format: PcmFormat;
  readonly sampleRateHz?: number;
  readonly channelCount?: number;
  /** `tags`: ffmpeg's metadata format; `count`: a WAV stream of one byte a sample at the source's own rate. */
  readonly sideOutput?: 'tags' | 'count';
  /** Decodes no more than the first frame. */
  readonly firstFrameOnly?: boolean;
}

/** A source that is fed to the decoder, from its first byte on. */
export interface FedSource {
  readonly container: SourceContainer;
  readonly bytes: AsyncIterable<Uint8Array>;
  /** Where it is known beforehand. */
  readonly sizeBytes: number | undefined;
}

/** A running decoder, its header read. `pcm` gives raw interleaved samples and throws where decoding fails. */
interface Decoder extends AsyncDisposable {
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly pcm: AsyncIterable<Buffer>;
  /** ffmpeg's description of the source. */
  stderr(): string;
}

/**
 * Throws UNSUPPORTED_MEDIA where the source holds no audio that can be decoded. `readSideOutput` is called at once:
 * when a child exits, Node drops what has come from it and has no reader yet.
 */
export async function openDecoder(
  runtime: FfmpegRuntime,
  source: SourceFile | FedSource,
  shape: DecodeShape,
  readSideOutput?: (stream: Readable) => void,
): Promise<Decoder> {
  const fromFile = !('bytes' in source) && readsFromFile(source.container);
  // The file itself becomes the child's stdin: no byte of it passes through this process.
  await using file = 'bytes' in source || fromFile ? undefined : await open(source.path, 'r');
  const child = startFfmpeg(runtime, {
    args: decodeArgv({
      ...shape,
      container: source.container,
      sourceName: fromFile ? source.name : undefined,
    }),
    limits: { cpuSeconds: decodeCpuSeconds(source.sizeBytes), fileSizeBytes: 0 },
    wallLimitMs: DECODE_WALL_LIMIT_MS,
    stdin: file?.fd ?? (fromFile ? 'ignore' : 'pipe'),
  });
  readSideOutput?.(child.sideOutput);
  const fed =
    'bytes' in source ? feed(child, source.bytes, shape.firstFrameOnly === true) : Promise.resolve();
  let hasSourceFailed = false;
  fed.catch(() => {
    hasSourceFailed = true;
  });
  /** A source that broke off leaves a decoder that says nothing worth knowing; one that decodes badly need not be waited for. */
  async function finish(): Promise<void> {
    if (!hasSourceFailed) await child.finished;
    await fed;
  }
  try {
    const stream = await readWavStream(child.stdout);
    if (stream === undefined) {
      await finish();
      throw noAudio();
    }
    const { header, data } = stream;
    async function* pcm(): AsyncGenerator<Buffer> {
      try {
        yield* data;
        await finish();
      } catch (error) {
        throw asMediaError(error);
      }
    }
    return {
      sampleRateHz: header.sampleRateHz,
      channelCount: header.channelCount,
      pcm: pcm(),
      stderr: child.stderr,
      [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
    };
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw asMediaError(error);
  }
}

/** A WAV stream of ffmpeg's, its header taken off; undefined where it ends before its samples begin. */
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
    // A child whose output is not read would never end.
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

/**
 * Gives the child all bytes as they come. One that wants no more still lets the rest pass by, to where it is
 * kept, unless feeding `endsWithChild`. Rejects with the error of the source.
 */
async function feed(
  child: FfmpegProcess,
  bytes: AsyncIterable<Uint8Array>,
  endsWithChild: boolean,
): Promise<void> {
  const { stdin } = child;
  if (stdin === null) throw new Error('ffmpeg has no stdin');
  const chunks = endsWithChild ? untilSettled(bytes, child.finished) : bytes;
  try {
    for await (const chunk of chunks) {
      if (stdin.writable && !stdin.write(chunk)) await drained(stdin);
    }
  } finally {
    stdin.end();
  }
}

/** The same chunks, left behind as soon as `settled` is, also while one is awaited. */
async function* untilSettled(
  bytes: AsyncIterable<Uint8Array>,
  settled: Promise<unknown>,
): AsyncGenerator<Uint8Array> {
  const chunks = bytes[Symbol.asyncIterator]();
  const end = settled.then(
    () => undefined,
    () => undefined,
  );
  for (;;) {
    const next = await Promise.race([chunks.next(), end]);
    if (next === undefined || next.done === true) return;
    yield next.value;
  }
}

/** Settles when there is room again, or never will be. */
function drained(stdin: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      for (const event of ['drain', 'error', 'close']) stdin.off(event, settle);
      resolve();
    };
    for (const event of ['drain', 'error', 'close']) stdin.once(event, settle);
  });
}

export function noAudio(cause?: unknown): MediaError {
  return new MediaError('UNSUPPORTED_MEDIA', 'The source holds no audio that can be decoded.', { cause });
}

/** A decoder that gives up or runs into its limits blames its input; one that never ran or was killed does not. */
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
