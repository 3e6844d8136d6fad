/**
 * The convert route: decode the source, cut the samples, encode every segment by itself.
 *
 * 1. A counting pass decodes the source once from end to end, where its container allows while it still comes
 *    in (`receive.ts`), and keeps nothing: it settles the length (and with it the quota, the number of segments and every boundary) before any encoder runs.
 * 2. A second decoder writes samples to disk, a few segments ahead of the encoders.
 * 3. Each segment is encoded from exactly its samples, read back, and handed out in order.
 *
 * Two decodes cost a few percent of what encoding costs, and save holding the decoded source (6 GB for ten
 * hours) on disk. With formats whose size is known beforehand (wav, and mp3 at a constant bitrate) a byte
 * ceiling becomes a fixed number of samples, so both modes share one path, with several encoders at once.
 * The other formats under a ceiling are encoded as one stream that is cut afterwards (`repack.ts`).
 *
 * It can begin at segment `resumeAt`, for sources whose first segments have been handed out by copying.
 */
import { maxTagBytes as maxCoverBytes } from '../copy/cut-rules.ts';
import { encodingFor, mp3Bitrate, ownEncoding, workingShape } from '../encoding.ts';
import type { PcmShape } from '../ffmpeg/argv.ts';
import type { FfmpegRuntime } from '../ffmpeg/run.ts';
import { MediaError, type OutputFormat } from '../media.ts';
import { type PlannedSegment, planByDuration, planBySamples } from '../plan.ts';
import { type Conversion, type ConvertOptions, handOut, segmentLimitUnreachable } from './conversion.ts';
import { readCover } from './cover.ts';
import { openDecoder } from './decode.ts';
import { COVER_OVERHEAD_BYTES, canHoldCover } from './embed-cover.ts';
import { type EncodeJob, encodeSegment } from './encode.ts';
import { runOrdered } from './ordered-window.ts';
import { createPcmSpool, type PcmSpool } from './pcm-spool.ts';
import { countResampled, type ProbedSource } from './probe.ts';
import { receiveSource } from './receive.ts';
import { repackSegments } from './repack.ts';
import type { SourceFile } from './source-file.ts';
import { longestSegmentTags, maxTagBytes, segmentTags } from './tags.ts';
import { buildWavHeader, frameBytes } from './wav-header.ts';

export interface ConvertResult {
  readonly outputFormat: OutputFormat;
  readonly segmentCount: number;
  readonly sourceSampleCount: number;
  readonly sourceSampleRateHz: number;
}

/** Two encoders at work while a third segment is handed out. */
const WINDOW_SEGMENTS = 3;
/** Of LAME's encoder, with that of the decoder, as ffmpeg runs it. */
const MP3_DELAY_SAMPLES = 1_105;
const SKIP_STEP_BYTES = 16 * 1024 * 1024;

/**
 * Splits a source by decoding and encoding it. Throws `MediaError` where the source or the cut is at fault;
 * other errors are ours. All children have ended when it settles.
 */
export async function convertSource(options: ConvertOptions): Promise<ConvertResult> {
  const { runtime, incoming } = options;
  const { source, probed } = await receiveSource(runtime, incoming, options.maxSourceDurationMs);
  const encoding =
    options.outputFormat === undefined
      ? ownEncoding(source.container, probed.stream.codec)
      : encodingFor(options.outputFormat);
  const pcm = workingShape(encoding, probed);
  const totalSamples =
    pcm.sampleRateHz === probed.sampleRateHz
      ? probed.sampleCount
      : await resampledTotal(runtime, source, probed, pcm);
  const start = startOf(options, pcm);
  if (start.startSample > totalSamples)
    throw new MediaError('INTERNAL_ERROR', 'The splitting engine failed.');

  const cover = canHoldCover(encoding.name) ? await readCover(source, maxCoverBytes(options.cut)) : undefined;
  await using decoder = await openDecoder(runtime, source, { ...pcm, withTags: false });
  const conversion: Conversion = {
    options,
    probed,
    encoding,
    cover,
    pcm,
    totalSamples,
    start,
    handOut: (segment, path, sizeBytes) =>
      handOut(options, encoding, pcm, totalSamples, segment, path, sizeBytes),
  };
  const plan = fixedPlan(conversion);
  const segmentCount =
    plan === undefined
      ? await repackSegments(conversion, decoder.pcm)
      : await encodePlan(conversion, plan, decoder.pcm);
  return {
    outputFormat: encoding.outputFormat,
    segmentCount,
    sourceSampleCount: probed.sampleCount,
    sourceSampleRateHz: probed.sampleRateHz,
  };
}

/** The resampler's count, less what the source's own count took off its last block. */
async function resampledTotal(
  runtime: FfmpegRuntime,
  source: SourceFile,
  probed: ProbedSource,
  pcm: PcmShape,
): Promise<number> {
  const counted = await countResampled(runtime, source, pcm.sampleRateHz);
  return Math.min(counted, Math.ceil((probed.sampleCount * pcm.sampleRateHz) / probed.sampleRateHz));
}

function startOf(options: ConvertOptions, pcm: PcmShape): Conversion['start'] {
  const { resumeAt } = options;
  if (resumeAt === undefined) return { index: 0, startSample: 0 };
  const { index, startSample, sampleRateHz } = resumeAt;
  return { index, startSample: Math.round((startSample * pcm.sampleRateHz) / sampleRateHz) };
}

/** All segments, where they can be told before encoding. */
function fixedPlan(conversion: Conversion): readonly PlannedSegment[] | undefined {
  const { totalSamples, pcm, start, encoding } = conversion;
  const { cut } = conversion.options;
  if (cut.mode === 'duration') {
    const { segmentDurationSeconds } = cut;
    return planByDuration({
      totalSamples,
      sampleRateHz: pcm.sampleRateHz,
      segmentDurationSeconds,
      resumeAt: start,
    });
  }
  const samples = samplesWithin(conversion, cut.maxFileSizeBytes);
  if (samples === undefined) return undefined;
  if (samples < 1) throw segmentLimitUnreachable(encoding);
  return planBySamples(totalSamples, samples, pcm.sampleRateHz, start);
}

/** The most samples whose file is sure to stay within the limit; undefined where only encoding tells. */
function samplesWithin(conversion: Conversion, limitBytes: number): number | undefined {
  const { encoding, pcm, probed, cover } = conversion;
  if (encoding.name === 'wav') {
    // One byte for padding; RF64's longer header only where the limit is beyond RIFF.
    const mostSamples = Math.floor(limitBytes / frameBytes(pcm));
    const headerBytes = buildWavHeader(pcm, mostSamples, longestSegmentTags(probed.tags)).length + 1;
    return Math.floor((limitBytes - headerBytes) / frameBytes(pcm));
  }
  if (encoding.name === 'mp3') {
    const samplesPerFrame = pcm.sampleRateHz >= 32_000 ? 1152 : 576;
    const bytesPerFrame = ((samplesPerFrame / 8) * mp3Bitrate(pcm)) / pcm.sampleRateHz;
    // The information frame is one of the stream's own size or the smallest that holds its 200 bytes.
    const delayFrames = Math.ceil(MP3_DELAY_SAMPLES / samplesPerFrame) + 1;
    const coverBytes = cover === undefined ? 0 : cover.bytes.length + COVER_OVERHEAD_BYTES;
    const tagBytes = maxTagBytes(probed.tags) + coverBytes;
    const overhead = tagBytes + Math.max(bytesPerFrame, 256) + delayFrames * bytesPerFrame + 1;
    return Math.floor((limitBytes - overhead) / bytesPerFrame) * samplesPerFrame;
  }
  return undefined;
}

async function encodePlan(
  conversion: Conversion,
  plan: readonly PlannedSegment[],
  samples: AsyncIterable<Buffer>,
): Promise<number> {
  const { options, encoding, pcm, probed, start } = conversion;
  const blockBytes = frameBytes(pcm);
  await using spool = createPcmSpool(samples, options.runtime.workDir);
  await skipTo(spool, start.startSample * blockBytes);
  async function* readySegments(): AsyncGenerator<PlannedSegment> {
    for (const segment of plan) {
      await fillExactly(spool, (segment.startSample + segment.sampleCount) * blockBytes);
      yield segment;
    }
  }
  await runOrdered(
    readySegments(),
    WINDOW_SEGMENTS,
    async (segment) => {
      const startByte = segment.startSample * blockBytes;
      const job: EncodeJob = {
        encoding,
        pcm,
        samples: spool.read(startByte, startByte + segment.sampleCount * blockBytes),
        sampleCount: segment.sampleCount,
        tags: segmentTags(probed.tags, segment.index, start.index + plan.length),
        cover: conversion.cover,
      };
      const fileName = `encoding-${segment.index}.${encoding.extension}`;
      return { segment, encoded: await encodeSegment(options.runtime, job, fileName) };
    },
    async ({ segment, encoded }) => {
      await conversion.handOut(segment, encoded.path, encoded.sizeBytes);
      await spool.dropBefore((segment.startSample + segment.sampleCount) * blockBytes);
    },
    options.stop,
  );
  return start.index + plan.length;
}

/** Decodes past what needs no encoding, a chunk at a time. */
async function skipTo(spool: PcmSpool, startByte: number): Promise<void> {
  for (let byte = 0; byte < startByte; byte += SKIP_STEP_BYTES) {
    const end = Math.min(startByte, byte + SKIP_STEP_BYTES);
    await spool.fill(end);
    await spool.dropBefore(end);
  }
}

/** The second decode must give what the first one counted. */
async function fillExactly(spool: PcmSpool, endByte: number): Promise<void> {
  await spool.fill(endByte);
  if (spool.filledBytes < endByte) throw new Error(`the source ended before byte ${endByte} of its samples`);
}
