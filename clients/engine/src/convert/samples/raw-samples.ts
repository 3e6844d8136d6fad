/** The samples of a source that is only PCM after a header, read without a decoder. */
import type { PcmShape } from '../../formats/formats.ts';
import { createLengthGuard } from '../../length-guard.ts';
import type { SampleChunks } from '../conversion.ts';
import { noAudio } from '../input/decode.ts';
import type { ProbedSource } from '../input/probed-source.ts';
import type { AudibleSamples } from './audible-samples.ts';
import { frameBytes } from './wav-header.ts';

interface RawSamplesOptions {
  readonly sizeBytes: number | undefined;
  readonly maxDurationMs: number | undefined;
  /** Called with each part of the source that is no longer read; absent: its memory belongs to others. */
  readonly free?: SampleChunks['free'];
}

/** An odd chunk is followed by a byte of padding. */
const PADDING_BYTES = 1;

/**
 * False if the source must be decoded: its samples differ from `pcm`, or bytes follow them that may also be
 * audio, as in a WAV with two data chunks.
 */
export function areSamplesRaw(
  { rawPcm, sampleRateHz, channelCount }: ProbedSource,
  pcm: PcmShape,
  sizeBytes: number | undefined,
): boolean {
  if (rawPcm?.format !== pcm.format || sizeBytes === undefined) return false;
  if (sampleRateHz !== pcm.sampleRateHz || channelCount !== pcm.channelCount) return false;
  return sizeBytes <= rawPcm.endByte + PADDING_BYTES;
}

/** undefined if the source must be decoded. */
export function readRawSamples(
  source: AsyncIterable<Uint8Array>,
  probed: ProbedSource,
  pcm: PcmShape,
  { sizeBytes, maxDurationMs, free = () => undefined }: RawSamplesOptions,
): AudibleSamples | undefined {
  const { rawPcm, sampleRateHz } = probed;
  if (rawPcm === undefined || !areSamplesRaw(probed, pcm, sizeBytes)) return undefined;
  const { startByte, endByte } = rawPcm;
  const refuse = createLengthGuard(maxDurationMs, sampleRateHz);
  const blockBytes = frameBytes(pcm);
  let takenBytes = 0;
  const sampleCount = (): number => Math.floor(takenBytes / blockBytes);

  async function* samples(): AsyncGenerator<Buffer> {
    let position = 0;
    // Part of a sample that the end of the source may have cut short.
    let begun: Buffer = Buffer.alloc(0);
    for await (const chunk of source) {
      const start = Math.max(0, startByte - position);
      const end = Math.max(start, Math.min(chunk.length, endByte - position));
      position += chunk.length;
      takenBytes += end - start;
      refuse(sampleCount());
      const bytes = Buffer.from(chunk.buffer, chunk.byteOffset + start, end - start);
      const wholeBytes = bytes.length - (takenBytes % blockBytes);
      if (wholeBytes <= 0) {
        begun = Buffer.concat([begun, bytes]);
        free(chunk);
        continue;
      }
      if (begun.length > 0) yield begun;
      begun = Buffer.from(bytes.subarray(wholeBytes));
      yield bytes.subarray(0, wholeBytes);
    }
    if (sampleCount() === 0) throw noAudio();
  }

  return {
    pcm: samples(),
    free,
    decodedSampleCount: sampleCount,
    sourceSampleCount: sampleCount,
    // The caller closes the source that it opened.
    [Symbol.asyncDispose]: async () => undefined,
  };
}
