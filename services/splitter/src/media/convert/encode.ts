import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Encoding } from '../encoding.ts';
import { encodeArgv, type PcmShape } from '../ffmpeg/argv.ts';
import { type FfmpegRuntime, startFfmpeg } from '../ffmpeg/run.ts';
import { countFileSamples } from './file-samples.ts';
import { setExactDuration } from './m4a-duration.ts';
import type { Tags } from './tags.ts';
import { buildWavHeader, frameBytes, wavPadBytes } from './wav-header.ts';

export interface EncodeJob {
  readonly encoding: Encoding;
  readonly pcm: PcmShape;
  readonly samples: AsyncIterable<Buffer>;
  readonly sampleCount: number;
  readonly tags: Tags;
  /** In the runtime's working folder. */
  readonly fileName: string;
}

export interface EncodedFile {
  readonly path: string;
  readonly sizeBytes: number;
}

/** In multiples of real time. Encoders run at dozens; a child below this is stuck, or its host is. */
const MIN_ENCODE_SPEED = 2;
const START_ALLOWANCE_SECONDS = 120;

/**
 * Encodes one segment into a file that stands by itself, and reads back how many samples it holds.
 * Throws where that is not what went in; the file is gone then.
 */
export async function encodeSegment(runtime: FfmpegRuntime, job: EncodeJob): Promise<EncodedFile> {
  const path = join(runtime.workDir, job.fileName);
  try {
    if (job.encoding.name === 'wav') await writeWav(runtime, job, path);
    else await runEncoder(runtime, job);
    if (job.encoding.name === 'm4a') await setExactDuration(path, job.sampleCount, job.pcm.sampleRateHz);
    const { size } = await stat(path);
    const held = await countFileSamples(job.encoding.name, path, size, job.pcm);
    if (held !== job.sampleCount) {
      throw new Error(`${job.fileName} holds ${held} samples instead of ${job.sampleCount}`);
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
    yield buildWavHeader(job.pcm, job.sampleCount);
    yield* job.samples;
    if (wavPadBytes(dataBytes) === 1) yield Buffer.alloc(1);
  }
  await pipeline(bytes(), createWriteStream(path), { signal: runtime.signal });
}

async function runEncoder(runtime: FfmpegRuntime, job: EncodeJob): Promise<void> {
  const seconds = job.sampleCount / job.pcm.sampleRateHz;
  const limitSeconds = START_ALLOWANCE_SECONDS + seconds / MIN_ENCODE_SPEED;
  await using encoder = startFfmpeg(runtime, {
    args: encodeArgv({
      pcm: job.pcm,
      encoderArgs: job.encoding.encoderArgs(job.pcm),
      muxer: job.encoding.muxer,
      tags: job.tags,
      outputName: job.fileName,
    }),
    limits: {
      cpuSeconds: limitSeconds,
      // No encoding is larger than its PCM by more than headers.
      fileSizeBytes: 2 * frameBytes(job.pcm) * job.sampleCount + 1024 * 1024,
    },
    wallLimitMs: 4 * limitSeconds * 1000,
    stdin: 'pipe',
  });
  encoder.stdout.resume();
  if (encoder.stdin === null) throw new Error('ffmpeg has no stdin');
  // An encoder that dies breaks the pipe; its own words say more than EPIPE.
  const fed = pipeline(Readable.from(job.samples), encoder.stdin).then(
    () => undefined,
    (error: unknown) => error,
  );
  await encoder.finished;
  const feedError = await fed;
  if (feedError !== undefined) throw feedError;
}
