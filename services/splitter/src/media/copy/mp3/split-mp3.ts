import { openByteReader } from '../byte-reader.ts';
import type { CopyOptions, CopyResult } from '../copy-contract.ts';
import {
  createLengthGuard,
  maxSegmentBytes,
  maxTagBytes,
  minRemainderSamples,
  segmentEndSample,
  segmentLimitUnreachable,
  unsupportedMedia,
} from '../cut-rules.ts';
import { lookAhead } from '../look-ahead.ts';
import { createSegmentSequence } from '../segment-sequence.ts';
import { createBitReservoir } from './bit-reservoir.ts';
import { numberTag } from './id3-tag.ts';
import { DECODER_DELAY_SAMPLES, type InfoFrame } from './info-frame.ts';
import { type Mp3SegmentWriter, startMp3Segment } from './segment-writer.ts';
import { type Mp3Frame, readMp3Head, walkMp3 } from './walker.ts';

/**
 * Cuts mp3 at the sample by duration, at the frame by size. A frame that holds a boundary goes into both
 * files, trimmed in each by its declared delay and padding.
 *
 * Sample positions in here are raw (see segment-writer.ts); the first audible one is `audibleStart`.
 */
export async function splitMp3(source: AsyncIterable<Uint8Array>, options: CopyOptions): Promise<CopyResult> {
  const { cut } = options;
  await using reader = openByteReader(source, options);
  const head = await readMp3Head(reader, maxTagBytes(cut));
  const { sampleRateHz, samplesPerFrame } = head.header;
  await using segments = createSegmentSequence(options, {
    extension: 'mp3',
    contentType: 'audio/mpeg',
    sampleRateHz,
  });

  const audibleStart =
    head.info?.gapless === undefined ? 0 : head.info.gapless.delaySamples + DECODER_DELAY_SAMPLES;
  const trimmedSamples = declaredTrim(head.info);
  const minRemainder = minRemainderSamples(sampleRateHz);
  const limitBytes = maxSegmentBytes(cut);
  const guardLength = createLengthGuard(options.maxSourceDurationMs, sampleRateHz);
  const reservoir = createBitReservoir();

  let frameIndex = 0;
  let segmentStart = audibleStart;
  let boundary = audibleStart + segmentEndSample(cut, sampleRateHz, 0);
  let writer = await startSegment();

  async function startSegment(): Promise<Mp3SegmentWriter> {
    const file = await segments.open();
    const tag = head.tag && numberTag(head.tag, segments.finishedCount + 1);
    return startMp3Segment(file, { ...head, tag }, reservoir, { startSample: segmentStart, frameIndex });
  }

  async function endSegment(endSample: number): Promise<void> {
    await writer.complete(endSample);
    await segments.finish(endSample - segmentStart);
    segmentStart = endSample;
  }

  async function cutAt(sample: number): Promise<void> {
    await endSegment(sample);
    boundary = audibleStart + segmentEndSample(cut, sampleRateHz, segments.finishedCount);
    writer = await startSegment();
  }

  async function place(frame: Mp3Frame, audibleEnd: number): Promise<void> {
    const frameStart = frameIndex * samplesPerFrame;
    const frameEnd = frameStart + samplesPerFrame;
    if (writer.sizeBytes + frame.bytes.length > limitBytes) {
      if (frameStart <= segmentStart) throw segmentLimitUnreachable();
      await cutAt(frameStart);
      if (writer.sizeBytes + frame.bytes.length > limitBytes) throw segmentLimitUnreachable();
    }
    while (boundary < frameEnd && audibleEnd - boundary >= minRemainder) {
      if (boundary > frameStart) writer.append(frame);
      await cutAt(boundary);
    }
    writer.append(frame);
  }

  let audibleEnd = Number.POSITIVE_INFINITY;
  const heldSamples = minRemainder + trimmedSamples + samplesPerFrame;
  for await (const batch of lookAhead(walkMp3(reader, head), heldSamples)) {
    if (batch.totalSampleCount !== undefined) {
      const isWhole = batch.totalSampleCount === (head.info?.frameCount ?? 0) * samplesPerFrame;
      audibleEnd = batch.totalSampleCount - (isWhole ? trimmedSamples : 0);
    }
    for (const frame of batch.frames) {
      if (frameIndex * samplesPerFrame >= audibleEnd) break;
      await place(frame, audibleEnd);
      reservoir.push(frame);
      frameIndex += 1;
      guardLength(Math.min(frameIndex * samplesPerFrame, audibleEnd) - audibleStart);
    }
    await writer.flush();
  }
  if (audibleEnd <= segmentStart) throw unsupportedMedia('The source holds no audible sample.');
  await endSegment(audibleEnd);
  return segments.result(reader.position);
}

/** Samples that the info frame declares as padding at the end; true only if its frame count is. */
function declaredTrim(info: InfoFrame | undefined): number {
  if (info?.gapless === undefined) return 0;
  return Math.max(0, info.gapless.paddingSamples - DECODER_DELAY_SAMPLES);
}
