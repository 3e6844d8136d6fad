import { createReadStream, createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Encoding } from '../encoding.ts';
import { encodeArgv, type PcmShape } from '../ffmpeg/argv.ts';
import { type FfmpegRuntime, startFfmpeg } from '../ffmpeg/run.ts';
import type { Cover } from './cover.ts';
import { embedCover } from './embed-cover.ts';
import { countFileSamples } from './file-samples.ts';
import { setExactDuration } from './m4a-duration.ts';
import { setExactPadding } from './mp3-padding.ts';
import type { Tags } from './tags.ts';
import { buildWavHeader, frameBytes, wavPadBytes } from './wav-header.ts';

export interface EncodeJob {
  readonly encoding: Encoding;
  readonly pcm: PcmShape;
  readonly samples: AsyncIterable<Buffer>;
  readonly sampleCount: number;
  readonly tags: Tags;
  /** Only for formats that can hold one. */
  readonly cover: Cover | undefined;
  /** The byte ceiling under which what is encoded will be cut. */
  readonly maxFileSizeBytes?: number | undefined;
}

export interface EncodedFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** In multiples of real time. Encoders run at dozens; a child below this is stuck, or its host is. */
const MIN_ENCODE_SPEED = 2;
const START_ALLOWANCE_SECONDS = 120;
/** An encoder whose output is cut and handed out meanwhile waits for that, so this is only a last resort. */
const STREAM_WALL_LIMIT_MS = 12 * 60 * 60 * 1000;

/**
 * Encodes one segment into a file of the working folder that stands by itself, and reads back how many samples
 * it holds. Throws where that is not what went in; the file is gone then.
 */
export async function encodeSegment(
  runtime: FfmpegRuntime,
  job: EncodeJob,
  fileName: string,
): Promise<EncodedFile> {
  const path = join(runtime.workDir, fileName);
  try {
    if (job.encoding.name === 'wav') await writeWav(runtime, job, path);
    else await encodeWhole(runtime, job, fileName);
    const { size } = await stat(path);
    const held = await countFileSamples(job.encoding.name, path, size, job.pcm);
    if (held !== job.sampleCount) {
      throw new Error(`${fileName} holds ${held} samples instead of ${job.sampleCount}`);
    }
    return { path, sizeBytes: size };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function writeWav(runtime: FfmpegRuntime, job: EncodeJob, path: string): Promise<void> {
  const dataBytes = frameBytes(job.pcm) * job.sampleCount;
  async function* bytes(): AsyncGenerator<Buffer> {
    yield buildWavHeader(job.pcm, job.sampleCount, job.tags);
    yield* job.samples;
    if (wavPadBytes(dataBytes) === 1) yield Buffer.alloc(1);
  }
  await pipeline(bytes(), createWriteStream(path), { signal: runtime.signal });
}

/** Encodes into a file of the working folder and returns its path. */
export async function encodeWhole(runtime: FfmpegRuntime, job: EncodeJob, fileName: string): Promise<string> {
  const bareName = job.cover === undefined ? fileName : `${fileName}.bare`;
  const barePath = join(runtime.workDir, bareName);
  const path = join(runtime.workDir, fileName);
  try {
    await using encoder = startEncoder(runtime, job, bareName);
    encoder.stdout.resume();
    await encoder.finished;
    if (job.encoding.name === 'm4a') await setExactDuration(barePath, job.sampleCount, job.pcm.sampleRateHz);
    if (job.encoding.name === 'mp3') await setExactPadding(barePath, job.sampleCount);
    if (job.cover === undefined) return path;
    const dressed = embedCover(job.encoding.name, job.cover, createReadStream(barePath), runtime.signal);
    await pipeline(dressed, createWriteStream(path), { signal: runtime.signal });
    return path;
  } finally {
    if (bareName !== fileName) await rm(barePath, { force: true });
  }
}

/** Encodes into the bytes of a file. They end only where all samples went in and the encoder succeeded. */
export async function* encodeStream(runtime: FfmpegRuntime, job: EncodeJob): AsyncGenerator<Buffer> {
  await using encoder = startEncoder(runtime, job, undefined);
  yield* job.cover === undefined
    ? encoder.stdout
    : embedCover(job.encoding.name, job.cover, encoder.stdout, runtime.signal);
  await encoder.finished;
}

interface Encoder extends AsyncDisposable {
  readonly stdout: Readable;
  /** Resolves when the encoder has succeeded and had all samples. */
  readonly finished: Promise<void>;
}

function startEncoder(runtime: FfmpegRuntime, job: EncodeJob, fileName: string | undefined): Encoder {
  const seconds = job.sampleCount / job.pcm.sampleRateHz;
  const limitSeconds = START_ALLOWANCE_SECONDS + seconds / MIN_ENCODE_SPEED;
  const child = startFfmpeg(runtime, {
    args: encodeArgv({
      pcm: job.pcm,
      encoderArgs: job.encoding.encoderArgs(job.pcm, job.maxFileSizeBytes),
      muxer: job.encoding.muxer,
      tags: job.tags,
      outputName: fileName,
    }),
    limits: {
      cpuSeconds: limitSeconds,
      // No encoding is larger than its PCM by more than headers.
      fileSizeBytes: 2 * frameBytes(job.pcm) * job.sampleCount + 1024 * 1024,
    },
    wallLimitMs: fileName === undefined ? STREAM_WALL_LIMIT_MS : 4 * limitSeconds * 1000,
    stdin: 'pipe',
  });
  if (child.stdin === null) throw new Error('ffmpeg has no stdin');
  // An encoder that dies breaks the pipe; its own words say more than EPIPE.
  const fed = pipeline(Readable.from(job.samples), child.stdin).then(
    () => undefined,
    (error: unknown) => error,
  );
  const finished = child.finished.then(async () => {
    const feedError = await fed;
    if (feedError !== undefined) throw feedError;
  });
  finished.catch(() => undefined);
  return { stdout: child.stdout, finished, [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}
