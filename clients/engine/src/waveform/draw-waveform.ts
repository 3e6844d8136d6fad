/**
 * The waveform of files that are consecutive parts of a recording, such as its segments: the lowest and the
 * highest sample of each pixel, with all channels mixed to one. It is flat where there is no file.
 */
import { openDecoder } from '../convert/input/decode.ts';
import type { SourceFile } from '../convert/input/source-file.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { SourceContainer } from '../formats/formats.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { createPeakMeter, type Waveform } from './peak-meter.ts';

export interface WaveformFile {
  readonly startSeconds: number;
  readonly sizeBytes: number;
  readonly open: () => Promise<OpenWaveformFile | SourceFile>;
}

export interface OpenWaveformFile {
  readonly container: SourceContainer;
  /** From its first byte on. An MP4 has its index at the beginning. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

interface DrawOptions {
  readonly files: readonly WaveformFile[];
  /** Of the recording. */
  readonly seconds: number;
  readonly maxPixels: number;
  /** How many files may be decoded concurrently; called before each but the first. At least one always is. */
  readonly decoders: () => number;
  readonly ffmpegPath: string;
  readonly sandbox: Sandbox;
  /** Private to this call. */
  readonly workDir: string;
  readonly signal: AbortSignal;
  /** Called often. If it throws, the work ends with that error. */
  readonly onProgress: () => void;
}

const MAX_DECODERS = 8;

/** Throws UNSUPPORTED_MEDIA if a file cannot be decoded. */
export async function drawWaveform(options: DrawOptions): Promise<Waveform> {
  const { seconds, maxPixels, decoders, onProgress } = options;
  const [first, ...waiting] = options.files;
  if (first === undefined) throw new Error('there is no file to draw');
  const ended = new AbortController();
  const runtime: FfmpegRuntime = {
    ...options,
    signal: AbortSignal.any([options.signal, ended.signal]),
    stop: (reason) => ended.abort(reason),
  };
  const shape = { format: 'u8', channelCount: 1 } as const;
  const open = async ({ sizeBytes, open }: WaveformFile, sampleRateHz?: number) => {
    onProgress();
    const source = { ...(await open()), sizeBytes };
    return await openDecoder(
      runtime,
      source,
      sampleRateHz === undefined ? shape : { ...shape, sampleRateHz },
    );
  };
  await using opened = await open(first);
  /** At the rate of the first file; files with another rate are resampled. */
  const meter = createPeakMeter({ sampleRateHz: opened.sampleRateHz, seconds, maxPixels });
  const measure = async ({ pcm }: Pick<typeof opened, 'pcm'>, { startSeconds }: WaveformFile) => {
    let position = Math.round(startSeconds * meter.sampleRateHz);
    for await (const samples of pcm) {
      onProgress();
      meter.push(samples, position);
      position += samples.length;
    }
  };
  const work = async (worker: number) => {
    if (worker === 0) await measure(opened, first);
    while (worker === 0 || worker < decoders()) {
      const file = waiting.shift();
      if (file === undefined) return;
      await using decoder = await open(file, meter.sampleRateHz);
      await measure(decoder, file);
    }
  };
  const count = Math.max(1, Math.min(decoders(), MAX_DECODERS, options.files.length));
  const workers = Array.from({ length: count }, async (_, worker) => {
    try {
      await work(worker);
    } catch (error) {
      ended.abort(error);
      throw error;
    }
  });
  const outcomes = await Promise.allSettled(workers);
  ended.signal.throwIfAborted();
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
  return meter.finish();
}
