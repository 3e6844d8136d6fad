/**
 * The waveform of files that lie one behind another in a recording, such as its segments: the lowest and the highest
 * sample of each pixel, of all channels mixed to one. Where no file lies it is flat.
 */
import { openDecoder } from '../convert/input/decode.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import type { SourceContainer } from '../formats/formats.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { createPeakMeter, type Waveform } from './peak-meter.ts';

export interface WaveformFile {
  readonly container: SourceContainer;
  readonly startSeconds: number;
  readonly sizeBytes: number;
  /** From its first byte on. An MP4 has its index in front. */
  readonly open: () => Promise<AsyncIterable<Uint8Array>>;
}

interface DrawOptions {
  readonly files: readonly WaveformFile[];
  /** Of the recording. */
  readonly seconds: number;
  readonly maxPixels: number;
  readonly ffmpegPath: string;
  readonly sandbox: Sandbox;
  /** Private to this call. */
  readonly workDir: string;
  readonly signal: AbortSignal;
  /** Called often. What it throws ends the work. */
  readonly onProgress: () => void;
}

/** Throws UNSUPPORTED_MEDIA where a file cannot be decoded. */
export async function drawWaveform(options: DrawOptions): Promise<Waveform> {
  const { files, seconds, maxPixels, onProgress } = options;
  const ended = new AbortController();
  const runtime: FfmpegRuntime = {
    ...options,
    signal: AbortSignal.any([options.signal, ended.signal]),
    stop: (reason) => ended.abort(reason),
  };
  /** That of the first file: what has another is resampled. */
  let meter: ReturnType<typeof createPeakMeter> | undefined;
  for (const { container, startSeconds, sizeBytes, open } of files) {
    onProgress();
    const source = { container, sizeBytes, bytes: await open() };
    await using decoder = await openDecoder(runtime, source, {
      format: 'u8',
      channelCount: 1,
      ...(meter === undefined ? {} : { sampleRateHz: meter.sampleRateHz }),
    });
    meter ??= createPeakMeter({ sampleRateHz: decoder.sampleRateHz, seconds, maxPixels });
    let position = Math.round(startSeconds * meter.sampleRateHz);
    for await (const samples of decoder.pcm) {
      onProgress();
      meter.push(samples, position);
      position += samples.length;
    }
  }
  if (meter === undefined) throw new Error('there is no file to draw');
  return meter.finish();
}
