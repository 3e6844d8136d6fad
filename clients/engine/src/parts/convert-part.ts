/**
 * Converts a part of a source that was prepared for it (`part-spec.ts`): its pieces are decoded one after the
 * other as they arrive, and the result is cut and encoded as the whole source would be, at the same samples
 * and with the same numbers.
 */

import type { ConvertOptions, SegmentConversion } from '../convert/conversion.ts';
import { CONVERTING_END, createConvertProgress } from '../convert/convert-progress.ts';
import { encodeSegments } from '../convert/encode/encode-segments.ts';
import type { ProbedSource } from '../convert/input/probed-source.ts';
import { decodeAudible } from '../convert/samples/audible-samples.ts';
import { frameBytes } from '../convert/samples/wav-header.ts';
import { cutByDuration, durationBorders } from '../cuts/duration.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import { ENCODINGS } from '../formats/encoding.ts';
import type { SplitResult } from '../media.ts';
import { MediaError } from '../media-error.ts';
import { workingSetOf } from '../output/working-set.ts';
import { freeChunk } from '../source/free-chunk.ts';
import { createByteSlices } from './byte-slices.ts';
import { CorruptPieceError } from './corrupt-piece.ts';
import type { PartSpec, SourcePiece } from './part-spec.ts';

type ConvertPartOptions = Pick<
  ConvertOptions,
  'runtime' | 'outputDir' | 'scratchRoom' | 'onSegment' | 'stop' | 'progress'
>;

/** `bytes`: the ranges of the object that `rangesOf` lists, in order. */
export async function convertPart(
  options: ConvertPartOptions,
  spec: PartSpec,
  bytes: AsyncIterable<Uint8Array>,
): Promise<SplitResult> {
  try {
    return await convert(options, spec, bytes);
  } catch (error) {
    // Ends everything that still waits for the source.
    options.stop(error);
    throw error;
  }
}

async function convert(
  { progress, ...options }: ConvertPartOptions,
  spec: PartSpec,
  bytes: AsyncIterable<Uint8Array>,
): Promise<SplitResult> {
  const { pcm, segmentDurationSeconds, startSample, endSample, leadInSamples, segmentCount } = spec;
  const { sampleRateHz, channelCount } = pcm;
  const encoding = ENCODINGS[spec.encoding];
  const slices = createByteSlices(bytes);
  const cover =
    spec.cover === null
      ? undefined
      : { mimeType: spec.cover.mimeType, bytes: await slices.take(spec.cover.sizeBytes) };
  const inner = createConvertProgress(progress.span(0, CONVERTING_END), () => endSample - startSample);
  const borders = durationBorders(segmentDurationSeconds, sampleRateHz);
  const workingSet = workingSetOf({
    shape: { encoding, pcm, cover },
    longestSegmentSamples: borders.longestSegmentSamples,
    totalSamples: leadInSamples + endSample - startSample,
    shareBytes: options.scratchRoom.shareBytes,
  });
  await options.scratchRoom.reserve(workingSet.bytes);
  const conversion: SegmentConversion = {
    options: { ...options, cut: cutByDuration(segmentDurationSeconds) },
    probed: {
      stream: spec.stream,
      sampleRateHz,
      channelCount,
      tags: new Map(Object.entries(spec.tags)),
      claimedSeconds: undefined,
      claimedSamples: endSample,
      trimEnd: async (decodedSamples) => decodedSamples,
    },
    encoding,
    cover,
    pcm,
    start: { index: spec.firstSegment, startSample },
    leadInSamples,
    expectedSamples: endSample,
    workingSet,
    progress: {
      encoded: (sample) => inner.encoded(sample - startSample),
      handedOut: (sample) => inner.handedOut(sample - startSample),
    },
  };

  async function* samples(): AsyncGenerator<Buffer> {
    const blockBytes = frameBytes(pcm);
    let sample = spec.firstPieceSample;
    for (const piece of spec.pieces) {
      const from = Math.max(0, startSample - leadInSamples - sample) * blockBytes;
      const to = Math.min(piece.sampleCount, endSample - sample) * blockBytes;
      sample += piece.sampleCount;
      yield* bytesBetween(decodePiece(options.runtime, conversion.probed, piece), from, to);
    }
  }

  async function* decodePiece(
    runtime: FfmpegRuntime,
    probed: ProbedSource,
    { sizeBytes, sampleCount }: SourcePiece,
  ): AsyncGenerator<Buffer> {
    const source = { container: spec.container, bytes: slices.chunks(sizeBytes), sizeBytes };
    const exact = { ...probed, trimEnd: async () => sampleCount };
    let byteCount = 0;
    try {
      await using decoded = await decodeAudible(runtime, source, { probed: exact, pcm });
      for await (const chunk of decoded.pcm) {
        byteCount += chunk.length;
        yield chunk;
      }
    } catch (cause) {
      if (!(cause instanceof MediaError)) throw cause;
      throw new CorruptPieceError('a piece is not decoded', { cause });
    }
    const given = byteCount / frameBytes(pcm);
    if (given !== sampleCount)
      throw new CorruptPieceError(`a piece of ${sampleCount} samples is decoded to ${given}`);
  }

  const endIndex = await encodeSegments(conversion, borders, { chunks: samples(), free: freeChunk });
  if (endIndex !== spec.firstSegment + segmentCount)
    throw new Error(`the part ends with segment ${endIndex - 1}`);
  return {
    outputFormat: encoding.outputFormat,
    segmentCount,
    sourceSampleCount: endSample - startSample,
    sourceSampleRateHz: sampleRateHz,
    sourceSizeBytes: slices.bytesTaken(),
  };
}

/** All chunks are requested, because only later chunks show whether earlier ones were right. */
async function* bytesBetween(
  chunks: AsyncIterable<Buffer>,
  from: number,
  to: number,
): AsyncGenerator<Buffer> {
  let at = 0;
  for await (const chunk of chunks) {
    const wanted = chunk.subarray(Math.max(0, from - at), Math.max(0, to - at));
    at += chunk.length;
    if (wanted.length > 0) yield wanted;
  }
}
