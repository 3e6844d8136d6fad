import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { decodeArgv, type PcmFormat, readsFromFile } from '../ffmpeg/argv.ts';
import { FfmpegError, type FfmpegProcess, type FfmpegRuntime, startFfmpeg } from '../ffmpeg/run.ts';
import { MediaError } from '../media.ts';
import type { SourceContainer } from '../sniff.ts';
import type { SourceFile } from './source-file.ts';
import { parseWavHeader } from './wav-header.ts';

/** A decoder waits while segments are handed out, so its wall limit is only a last resort. */
const DECODE_WALL_LIMIT_MS = 12 * 60 * 60 * 1000;
/** Decoding runs at several hundred times real time; the rest is for slow hosts and long sources. */
const DECODE_CPU_SECONDS = 2 * 60 * 60;
const MAX_HEADER_BYTES = 64 * 1024;

export interface DecodeShape {
  readonly format: PcmFormat;
  readonly sampleRateHz?: number;
  readonly channelCount?: number;
  readonly withTags: boolean;
}

/** A source that still comes in, from its first byte on. */
export interface ArrivingSource {
  readonly container: SourceContainer;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** A running decoder, its header read. `pcm` gives raw interleaved samples and throws where decoding fails. */
export interface Decoder extends AsyncDisposable {
  readonly sampleRateHz: number;
  readonly channelCount: number;
  readonly pcm: AsyncIterable<Buffer>;
  /** ffmpeg's description of the source. */
  stderr(): string;
  readonly sideOutput: NodeJS.ReadableStream;
}

/** Throws UNSUPPORTED_MEDIA where the source holds no audio that can be decoded. */
export async function openDecoder(
  runtime: FfmpegRuntime,
  source: SourceFile | ArrivingSource,
  shape: DecodeShape,
): Promise<Decoder> {
  const child = await startDecoder(runtime, source, shape);
  const fed = 'bytes' in source ? feed(child, source.bytes) : Promise.resolve();
  let hasSourceFailed = false;
  fed.catch(() => {
    hasSourceFailed = true;
  });
  /** A source that broke off leaves a decoder that says nothing worth knowing; one that decodes badly need not be waited for. */
  async function finish(): Promise<void> {
    if (!hasSourceFailed) await child.finished;
    await fed;
  }
  const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let head = Buffer.alloc(0);
  let header = parseWavHeader(head);
  try {
    while (header === undefined && head.length < MAX_HEADER_BYTES) {
      const next = await chunks.next();
      if (next.done === true) break;
      head = Buffer.concat([head, next.value]);
      header = parseWavHeader(head);
    }
    if (header === undefined || header.sampleRateHz === 0 || header.channelCount === 0) {
      await finish();
      throw noAudio();
    }
  } catch (error) {
    await child[Symbol.asyncDispose]();
    throw asMediaError(error);
  }
  const rest = head.subarray(header.headerBytes);
  async function* pcm(): AsyncGenerator<Buffer> {
    if (rest.length > 0) yield rest;
    try {
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
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
    sideOutput: child.sideOutput,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}

async function startDecoder(
  runtime: FfmpegRuntime,
  source: SourceFile | ArrivingSource,
  shape: DecodeShape,
): Promise<FfmpegProcess> {
  const { container } = source;
  const fromFile = !('bytes' in source) && readsFromFile(container);
  const run = {
    args: decodeArgv({ ...shape, container, sourceName: fromFile ? source.name : undefined }),
    limits: { cpuSeconds: DECODE_CPU_SECONDS, fileSizeBytes: 0 },
    wallLimitMs: DECODE_WALL_LIMIT_MS,
  };
  if (fromFile) return startFfmpeg(runtime, { ...run, stdin: 'ignore' });
  if ('bytes' in source) return startFfmpeg(runtime, { ...run, stdin: 'pipe' });
  // The file itself becomes the child's stdin: no byte of it passes through this process.
  await using handle = await open(source.path, 'r');
  return startFfmpeg(runtime, { ...run, stdin: handle.fd });
}

/**
 * Gives the child all bytes as they come. One that wants no more still lets the rest pass by, to where it is
 * kept. Rejects with the error of the source.
 */
async function feed(child: FfmpegProcess, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const { stdin } = child;
  if (stdin === null) throw new Error('ffmpeg has no stdin');
  try {
    for await (const chunk of bytes) {
      if (stdin.writable && !stdin.write(chunk)) await drained(stdin);
    }
  } finally {
    stdin.end();
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
