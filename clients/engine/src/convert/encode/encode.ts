import { createReadStream, createWriteStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { encodeArgv, type PieceFile } from '../../ffmpeg/argv.ts';
import { type FfmpegProcess, type FfmpegRuntime, startFfmpeg } from '../../ffmpeg/run.ts';
import { parseEncodedSamples, parseEncodedSeconds } from '../../ffmpeg/stream-info.ts';
import { writeChunk } from '../../ffmpeg/write-chunk.ts';
import type { Encoding } from '../../formats/encoding.ts';
import type { PcmShape } from '../../formats/formats.ts';
import type { SampleChunks } from '../conversion.ts';
import { countFileSamples } from '../samples/file-samples.ts';
import { buildWavHeader, frameBytes, wavPadBytes } from '../samples/wav-header.ts';
import type { Cover } from '../tags/cover.ts';
import { embedCover } from '../tags/embed-cover.ts';
import { muxerTags, type Tags } from '../tags/tags.ts';
import { setExactDuration } from '../trim/m4a-duration.ts';
import { setExactPadding } from '../trim/mp3-padding.ts';

/** Whole samples, including those of the lead-in. */
export type EncoderInput =
  /** They may still be arriving. */
  | ({ readonly kind: 'chunks' } & SampleChunks)
  /** From its current position on, `file` holds only these samples; it becomes the child's stdin. */
  | { readonly kind: 'pcm-file'; readonly file: number; readonly sampleCount: number }
  | { readonly kind: 'piece'; readonly piece: PieceFile; readonly sampleCount: number };

export interface EncodeJob {
  readonly encoding: Encoding;
  readonly pcm: PcmShape;
  readonly input: EncoderInput;
  /**
   * Called from time to time with the number of samples encoded; not for chunks, which their source counts.
   */
  readonly onEncoded?: (sampleCount: number) => void;
  /** How many of the first samples are not to be played; for m4a only. */
  readonly leadIn?: number;
  /** The maximum number of samples in addition to `leadIn`; undefined if unknown. */
  readonly mostSamples: number | undefined;
  readonly tags: Tags;
  /** Only for formats that can hold one. */
  readonly cover: Cover | undefined;
  /** Called when ffmpeg has ended and only a few bytes of the file remain to be written. */
  readonly onEncoderEnd?: () => void;
}

export interface EncodedFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly sampleCount: number;
}

/** A piece did not decode to the number of samples that it should hold. */
export class PieceDecodeError extends Error {
  override readonly name = 'PieceDecodeError';
}

/** In multiples of real time. Encoders reach dozens; a child below this is stuck, or its host is. */
const MIN_ENCODE_SPEED = 2;
const START_ALLOWANCE_SECONDS = 120;
/** For encodings of unknown length. */
const MAX_CPU_SECONDS = 12 * 60 * 60;
/** An encoder waits for its samples, which may still be on their way, so this is only a last resort. */
const WALL_LIMIT_MS = 12 * 60 * 60 * 1000;

/**
 * Encodes one segment into a complete file in the working folder, and reads back how many samples it holds.
 * Throws if that differs from the input; the file is deleted in that case.
 */
export async function encodeSegment(
  runtime: FfmpegRuntime,
  job: EncodeJob,
  fileName: string,
): Promise<EncodedFile> {
  const path = join(runtime.workDir, fileName);
  try {
    const sampleCount =
      job.encoding.name === 'wav'
        ? await writeWav(runtime, job, path)
        : await encodeWhole(runtime, job, fileName);
    const { size } = await stat(path);
    const held = await countFileSamples(job.encoding.name, path, size, job.pcm);
    if (held !== sampleCount) throw new Error(`${fileName} holds ${held} samples instead of ${sampleCount}`);
    return { path, sizeBytes: size, sampleCount };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

/** Returns the number of samples. The header is rewritten once it is known. */
async function writeWav(runtime: FfmpegRuntime, job: EncodeJob, path: string): Promise<number> {
  const { pcm, tags, mostSamples, input } = job;
  if (input.kind !== 'chunks') throw new TypeError('the samples of a WAV file are written as they come');
  const { free } = input;
  const counted = countBytes(input.chunks);
  async function* bytes(): AsyncGenerator<Buffer> {
    yield buildWavHeader(pcm, mostSamples ?? 0, tags);
    for await (const chunk of counted.chunks) {
      yield chunk;
      // It is written when the next one is requested.
      free(chunk);
    }
    if (wavPadBytes(counted.byteCount()) === 1) yield Buffer.alloc(1);
  }
  await using handle = await open(path, 'w');
  await handle.writeFile(bytes(), { signal: runtime.signal });
  const sampleCount = counted.byteCount() / frameBytes(pcm);
  await handle.write(buildWavHeader(pcm, sampleCount, tags, mostSamples ?? 0), 0, undefined, 0);
  return sampleCount;
}

/** Encodes into a file of the working folder and returns the number of samples. */
export async function encodeWhole(runtime: FfmpegRuntime, job: EncodeJob, fileName: string): Promise<number> {
  const bareName = job.cover === undefined ? fileName : `${fileName}.bare`;
  const barePath = join(runtime.workDir, bareName);
  try {
    await using encoder = startEncoder(runtime, job, bareName);
    encoder.stdout.resume();
    const sampleCount = await encoder.finished;
    job.onEncoderEnd?.();
    if (job.encoding.name === 'm4a')
      await setExactDuration(barePath, sampleCount, job.pcm.sampleRateHz, job.leadIn);
    if (job.encoding.name === 'mp3') await setExactPadding(barePath, sampleCount);
    if (job.cover !== undefined) {
      const dressed = embedCover(job.encoding.name, job.cover, createReadStream(barePath), runtime.signal);
      await pipeline(dressed, createWriteStream(join(runtime.workDir, fileName)), { signal: runtime.signal });
    }
    return sampleCount;
  } finally {
    if (bareName !== fileName) await rm(barePath, { force: true });
  }
}

/** Encodes into the bytes of a file. They end only if all samples were passed and the encoder succeeded. */
export async function* encodeStream(runtime: FfmpegRuntime, job: EncodeJob): AsyncGenerator<Buffer> {
  await using encoder = startEncoder(runtime, job, undefined);
  yield* job.cover === undefined
    ? encoder.stdout
    : embedCover(job.encoding.name, job.cover, encoder.stdout, runtime.signal);
  await encoder.finished;
}

interface Encoder extends AsyncDisposable {
  readonly stdout: Readable;
  /** The number of samples, once the encoder has succeeded and has received them all. */
  readonly finished: Promise<number>;
}

function startEncoder(runtime: FfmpegRuntime, job: EncodeJob, fileName: string | undefined): Encoder {
  const { pcm, mostSamples, input } = job;
  const child = startFfmpeg(runtime, {
    args: encodeArgv({
      pcm,
      piece: input.kind === 'piece' ? input.piece : undefined,
      encoderArgs: job.encoding.encoderArgs(pcm),
      muxer: job.encoding.muxer,
      tags: muxerTags(job.tags, job.encoding.muxer),
      outputName: fileName,
      isWatched: job.onEncoded !== undefined,
    }),
    limits:
      mostSamples === undefined
        ? { cpuSeconds: MAX_CPU_SECONDS }
        : {
            cpuSeconds: START_ALLOWANCE_SECONDS + mostSamples / pcm.sampleRateHz / MIN_ENCODE_SPEED,
            // No encoding exceeds its PCM by more than headers.
            fileSizeBytes: 2 * frameBytes(pcm) * mostSamples + 1024 * 1024,
          },
    wallLimitMs: WALL_LIMIT_MS,
    reads: input.kind === 'piece' ? input.piece.name : undefined,
    writes: fileName,
    stdin: stdinFor(input),
  });
  if (job.onEncoded !== undefined) watchProgress(child, pcm, job.onEncoded);
  const finished = finishedSamples(child, job).then((sampleCount) => sampleCount - (job.leadIn ?? 0));
  finished.catch(() => undefined);
  return { stdout: child.stdout, finished, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}

function stdinFor(input: EncoderInput): 'pipe' | 'ignore' | number {
  switch (input.kind) {
    case 'chunks':
      return 'pipe';
    case 'pcm-file':
      return input.file;
    case 'piece':
      return 'ignore';
    default:
      return input satisfies never;
  }
}

function watchProgress(child: FfmpegProcess, pcm: PcmShape, onEncoded: (sampleCount: number) => void): void {
  child.sideOutput.setEncoding('utf8').on('data', (text: string) => {
    const seconds = parseEncodedSeconds(text);
    if (seconds !== undefined) onEncoded(Math.floor(seconds * pcm.sampleRateHz));
  });
}

/** The number of samples that the encoder received, once it has succeeded and has received them all. */
async function finishedSamples(child: FfmpegProcess, { input, pcm }: EncodeJob): Promise<number> {
  if (input.kind === 'chunks') return (await feed(child, input)) / frameBytes(pcm);
  await child.finished;
  if (input.kind === 'piece') {
    const sampleCount = parseEncodedSamples(child.stderr());
    if (sampleCount !== input.sampleCount)
      throw new PieceDecodeError(`${input.piece.name} gave ${sampleCount} samples, not ${input.sampleCount}`);
  }
  return input.sampleCount;
}

/** Passes all chunks to the child and waits for its end; returns the number of bytes. */
async function feed(child: FfmpegProcess, { chunks, free }: SampleChunks): Promise<number> {
  const { stdin } = child;
  if (stdin === null) throw new Error('ffmpeg has no stdin');
  const counted = countBytes(chunks);
  async function write(to: Writable): Promise<void> {
    try {
      for await (const chunk of counted.chunks) {
        if (!to.writable) throw to.errored ?? new Error('ffmpeg takes no more samples');
        await writeChunk(to, chunk, () => free(chunk));
      }
    } finally {
      to.end();
    }
    await finished(to, { readable: false });
  }
  // An encoder that dies breaks the pipe; its own message is more useful than EPIPE.
  const fed = write(stdin).then(
    () => undefined,
    (error: unknown) => error,
  );
  await child.finished;
  const feedError = await fed;
  if (feedError !== undefined) throw feedError;
  return counted.byteCount();
}

function countBytes(chunks: AsyncIterable<Buffer>) {
  let byteCount = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      byteCount += chunk.length;
      yield chunk;
    }
  }
  return { chunks: counted(), byteCount: () => byteCount };
}
