import { createLengthGuard } from '../../length-guard.ts';
import { segmentLimitUnreachable, unsupportedMedia } from '../../media-error.ts';
import type { CopyOptions, CopyResult, CopySplitter } from '../copy-contract.ts';
import { countFramesThatFit, type FrameRun, frameCount, lookAheadRuns } from '../frames/frame-run.ts';
import { createSegmentSequence } from '../segments/segment-sequence.ts';
import { openByteReader } from '../source/byte-reader.ts';
import { tagsAt } from '../tags/segment-tags.ts';
import { createBitReservoir } from './bit-reservoir.ts';
import { numberTag } from './id3-tag.ts';
import { DECODER_DELAY_SAMPLES, declaredTrim } from './info-frame.ts';
import { createId3Retagger } from './retag.ts';
import { MAX_LEAD_IN_SAMPLES, type Mp3SegmentWriter, startMp3Segment } from './segment-writer.ts';
import { readMp3Head, walkMp3 } from './walker.ts';

interface Mp3SplitterOptions {
  /**
   * How many samples in front of a segment of that many its file plays as well, at most 1,152: those of the source, in
   * front of the first segment what its decoder makes of nothing. For files that are decoded again, not for listeners.
   */
  readonly leadIn?: ((sampleCount: number) => number) | undefined;
}

export const splitMp3 = createMp3Splitter({});

export function createMp3Splitter(splitterOptions: Mp3SplitterOptions): CopySplitter {
  return (source, options) => split(source, options, splitterOptions);
}

/**
 * Cuts mp3 at the sample by duration, at the frame by size. A frame that holds a boundary goes into both
 * files, trimmed in each by its declared delay and padding.
 *
 * What counts as audible where decoders disagree: a frame cut short by the end of the source is no frame (mpg123;
 * ffmpeg plays what it makes of the rest), the info frame never sounds, whatever count it states (ffmpeg before 5 and
 * mpg123 play it, or lose the delay, where that is 0), and the padding is trimmed only if that count is right.
 *
 * Sample positions in here are raw (see segment-writer.ts); the first audible one is `audibleStart`.
 */
async function split(
  source: AsyncIterable<Uint8Array>,
  options: CopyOptions,
  { leadIn }: Mp3SplitterOptions,
): Promise<CopyResult> {
  const { cut } = options;
  await using reader = openByteReader(source, options);
  const head = await readMp3Head(reader, options.withoutTags ? 0 : cut.maxTagBytes);
  const { sampleRateHz, samplesPerFrame } = head.header;
  await using segments = createSegmentSequence(options, {
    extension: 'mp3',
    contentType: 'audio/mpeg',
    sampleRateHz,
  });

  const audibleStart =
    head.info?.gapless === undefined ? 0 : head.info.gapless.delaySamples + DECODER_DELAY_SAMPLES;
  const trimmedSamples = declaredTrim(head.info);
  const minRemainder = cut.minRemainderSamples(sampleRateHz);
  const limitBytes = cut.maxSegmentBytes;
  const guardLength = createLengthGuard(options.maxSourceDurationMs, sampleRateHz);
  const reservoir = createBitReservoir();
  const retag = createId3Retagger(head.tag);

  let frameIndex = 0;
  let segmentStart = audibleStart;
  let boundary = audibleStart + cut.endSample(sampleRateHz, 0);
  let writer = startSegment();

  function startSegment(): Mp3SegmentWriter {
    const file = segments.open();
    const tags = tagsAt(options, segments.finishedCount);
    const tag =
      tags === undefined ? head.tag && numberTag(head.tag, segments.finishedCount + 1) : retag(tags);
    return startMp3Segment(file, { ...head, tag }, reservoir, {
      startSample: segmentStart,
      frameIndex,
      maxLeadIn: leadIn === undefined ? 0 : MAX_LEAD_IN_SAMPLES,
    });
  }

  async function endSegment(endSample: number): Promise<void> {
    const sampleCount = endSample - segmentStart;
    writer.complete(endSample, leadIn?.(sampleCount) ?? 0);
    await segments.finish(sampleCount);
    segmentStart = endSample;
  }

  async function cutAt(sample: number): Promise<void> {
    await endSegment(sample);
    boundary = audibleStart + cut.endSample(sampleRateHz, segments.finishedCount);
    writer = startSegment();
  }

  /** How many frames from `from` on go into the open segment as a whole, with nothing to be done in between. */
  function countBeforeCut(run: FrameRun, from: number, audibleEnd: number): number {
    const left = Math.min(frameCount(run) - from, Math.ceil(audibleEnd / samplesPerFrame) - frameIndex);
    const beforeBoundary = isCutDue(audibleEnd) ? Math.floor(boundary / samplesPerFrame) - frameIndex : left;
    return Math.min(left, beforeBoundary, countFramesThatFit(run, from, limitBytes - writer.sizeBytes));
  }

  function isCutDue(audibleEnd: number): boolean {
    return boundary < Number.POSITIVE_INFINITY && audibleEnd - boundary >= minRemainder;
  }

  /** Makes room for the frame at `index`, which does not go into the open segment as a whole. */
  async function cutAround(run: FrameRun, index: number, audibleEnd: number): Promise<void> {
    const frameStart = frameIndex * samplesPerFrame;
    if (countFramesThatFit(run, index, limitBytes - writer.sizeBytes) === 0) {
      if (frameStart <= segmentStart) throw segmentLimitUnreachable();
      await cutAt(frameStart);
    }
    while (isCutDue(audibleEnd) && boundary < frameStart + samplesPerFrame) {
      if (boundary > frameStart) writer.append(run, index, index + 1);
      await cutAt(boundary);
    }
  }

  async function place(run: FrameRun, audibleEnd: number): Promise<void> {
    let index = 0;
    while (index < frameCount(run) && frameIndex * samplesPerFrame < audibleEnd) {
      const count = countBeforeCut(run, index, audibleEnd);
      if (count <= 0) {
        await cutAround(run, index, audibleEnd);
        continue;
      }
      writer.append(run, index, index + count);
      reservoir.push(run, index, index + count);
      index += count;
      frameIndex += count;
      guardLength(Math.min(frameIndex * samplesPerFrame, audibleEnd) - audibleStart);
    }
  }

  let audibleEnd = Number.POSITIVE_INFINITY;
  const heldSamples = minRemainder + trimmedSamples + samplesPerFrame;
  for await (const batch of lookAheadRuns(walkMp3(reader, head), heldSamples)) {
    if (batch.totalSampleCount !== undefined) {
      const isWhole = batch.totalSampleCount === (head.info?.frameCount ?? 0) * samplesPerFrame;
      audibleEnd = batch.totalSampleCount - (isWhole ? trimmedSamples : 0);
    }
    for (const run of batch.runs) await place(run, audibleEnd);
    writer.flush();
    reader.releaseBefore(Math.min(batch.heldStart, reservoir.start()));
  }
  if (audibleEnd <= segmentStart) throw unsupportedMedia('The source holds no audible sample.');
  await endSegment(audibleEnd);
  return await segments.result(reader.position);
}

/** Samples that the info frame declares as padding at the end; true only if its frame count is. */
