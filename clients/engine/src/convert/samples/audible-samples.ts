/**
 * The audible samples of a source, decoded once, while the source arrives if it is streamed.
 *
 * How much of the last block is padding is known only when the source has ended, so the samples of one block
 * are held back until then. If a source must be resampled, a second output of the same decoder counts it at
 * its own rate, and the result has exactly that duration: extra samples by the resampler's rounding are
 * dropped, and samples that it retains, as for a source that is shorter than its filter, are replaced by
 * silence.
 */

import type { FfmpegRuntime } from '../../ffmpeg/run.ts';
import type { PcmShape } from '../../formats/formats.ts';
import { createLengthGuard } from '../../length-guard.ts';
import { freeChunk } from '../../source/free-chunk.ts';
import type { SampleChunks } from '../conversion.ts';
import { decodableInput, trimmedCount } from '../input/decodable-input.ts';
import { type DecodeShape, noAudio, openDecoder, readWavStream } from '../input/decode.ts';
import type { ProbedSource } from '../input/probed-source.ts';
import type { SourceFile } from '../input/source-file.ts';
import type { FedSource } from '../input/source-process.ts';
import { MAX_BLOCK_SAMPLES } from '../trim/end-trim.ts';
import { frameBytes } from './wav-header.ts';

/** By how many samples the resampler's output may differ from the ratio of the rates. */
const RESAMPLER_SLACK_SAMPLES = 1_024;

export interface AudibleSamples extends AsyncDisposable {
  /**
   * Whole samples from the first to the last audible one. Throws QUOTA_EXCEEDED as soon as there are more
   * than allowed, UNSUPPORTED_MEDIA if there are none.
   */
  readonly pcm: AsyncIterable<Buffer>;
  /** As in `SampleChunks`. */
  readonly free: SampleChunks['free'];
  /** So far, at the rate of `pcm`. */
  decodedSampleCount(): number;
  /** At the source's own rate, once `pcm` has ended. */
  sourceSampleCount(): number;
}

interface DecodeAudibleOptions {
  readonly probed: ProbedSource;
  readonly pcm: PcmShape;
  /** Default: unlimited. */
  readonly maxDurationMs?: number | undefined;
  /** Applied to the samples (`sample-filters.ts`); no filter may change their number. */
  readonly filters?: readonly string[];
}

export async function decodeAudible(
  runtime: FfmpegRuntime,
  source: SourceFile | FedSource,
  { probed, pcm, maxDurationMs, filters = [] }: DecodeAudibleOptions,
): Promise<AudibleSamples> {
  const isResampled = pcm.sampleRateHz !== probed.sampleRateHz;
  const ratio = pcm.sampleRateHz / probed.sampleRateHz;
  const priming = probed.primingSamples ?? 0;
  let counting: Promise<number> | undefined;
  const shape: DecodeShape = {
    ...pcm,
    decoder: probed.decoder,
    keepsPriming: priming > 0,
    filters,
    ...(isResampled ? { sideOutput: 'count' } : {}),
  };
  const { input, surplusSamples } = decodableInput(runtime, source, probed);
  const decoder = await openDecoder(runtime, input, shape, (stream) => {
    if (!isResampled) return;
    counting = countStream(stream);
    // It is awaited when the samples have ended.
    counting.catch(() => undefined);
  });
  const refuse = createLengthGuard(maxDurationMs, probed.sampleRateHz);
  const blockBytes = frameBytes(pcm);
  const heldSamples = isResampled
    ? Math.ceil(MAX_BLOCK_SAMPLES * ratio) + RESAMPLER_SLACK_SAMPLES
    : MAX_BLOCK_SAMPLES;
  const heldBytes = heldSamples * blockBytes;
  let decodedBytes = 0;
  let sourceSamples = Number.NaN;

  async function* audible(): AsyncGenerator<Buffer> {
    const held: Buffer[] = [];
    let waitingBytes = 0;
    const primingBytes = priming > 0 ? samplesAt(priming, probed, pcm) * blockBytes : 0;
    for await (const chunk of withoutFirst(decoder.pcm, primingBytes)) {
      held.push(chunk);
      waitingBytes += chunk.length;
      decodedBytes += chunk.length;
      refuse((decodedBytes / blockBytes - heldSamples) / ratio);
      for (
        let [first] = held;
        first !== undefined && waitingBytes - first.length >= heldBytes;
        [first] = held
      ) {
        held.shift();
        waitingBytes -= first.length;
        yield first;
      }
    }
    const decoded = Math.floor(decodedBytes / blockBytes);
    const counted = countOf(decoded, await counting?.then((count) => Math.max(0, count - priming)));
    if (counted === 0) throw noAudio();
    sourceSamples = await trimmedCount(probed, counted, surplusSamples(counted));
    refuse(sourceSamples);
    const total = isResampled ? samplesAt(sourceSamples, probed, pcm) : sourceSamples;
    const passedBytes = decodedBytes - waitingBytes;
    const rest = Buffer.concat(held).subarray(0, total * blockBytes - passedBytes);
    if (rest.length > 0) yield rest;
    if (total > decoded) yield silence(pcm, total - decoded);
  }

  /** At the source's rate. A change of rate midway affects the decoded samples but not the count. */
  function countOf(decoded: number, counted: number | undefined): number {
    if (counted === undefined) return decoded;
    const isOneRate = Math.abs(samplesAt(counted, probed, pcm) - decoded) <= RESAMPLER_SLACK_SAMPLES;
    return isOneRate ? counted : Math.round(decoded / ratio);
  }

  return {
    pcm: audible(),
    free: freeChunk,
    decodedSampleCount: () => decodedBytes / blockBytes,
    sourceSampleCount: () => sourceSamples,
    [Symbol.asyncDispose]: () => decoder[Symbol.asyncDispose](),
  };
}

async function* withoutFirst(chunks: AsyncIterable<Buffer>, byteCount: number): AsyncGenerator<Buffer> {
  let left = byteCount;
  for await (const chunk of chunks) {
    const dropped = Math.min(left, chunk.length);
    left -= dropped;
    if (dropped < chunk.length) yield chunk.subarray(dropped);
  }
}

/** The same time at the rate of `pcm`. */
export function samplesAt(
  samples: number,
  { sampleRateHz }: Pick<ProbedSource, 'sampleRateHz'>,
  pcm: PcmShape,
): number {
  return Math.max(1, Math.round((samples * pcm.sampleRateHz) / sampleRateHz));
}

function silence(pcm: PcmShape, sampleCount: number): Buffer {
  return Buffer.alloc(sampleCount * frameBytes(pcm), pcm.format === 'u8' ? 0x80 : 0);
}

/** Counts the samples of a stream that has one byte per sample and channel. */
async function countStream(stream: Parameters<typeof readWavStream>[0]): Promise<number> {
  const wav = await readWavStream(stream);
  if (wav === undefined) return 0;
  let bytes = 0;
  for await (const chunk of wav.data) {
    bytes += chunk.length;
    freeChunk(chunk);
  }
  return Math.floor(bytes / wav.header.channelCount);
}
