import { nextWantedStart } from '../../cuts/cut-rule.ts';
import { createLengthGuard } from '../../length-guard.ts';
import { segmentLimitUnreachable, unsupportedMedia } from '../../media-error.ts';
import type { CopyOptions, CopyResult, CopySplitter } from '../copy-contract.ts';
import { countFramesThatFit, type FrameRun, frameCount, lookAheadRuns } from '../frames/frame-run.ts';
import { createSegmentSequence } from '../segments/segment-sequence.ts';
import { openByteReader } from '../source/byte-reader.ts';
import { tagsAt } from '../tags/segment-tags.ts';
import { createBitReservoir, MAX_REMEMBERED_FRAMES } from './bit-reservoir.ts';
import { findConstantFrames, type Mp3FramePlace } from './constant-frames.ts';
import { numberTag } from './id3-tag.ts';
import { DECODER_DELAY_SAMPLES, declaredTrim } from './info-frame.ts';
import { createId3Retagger } from './retag.ts';
import { MAX_LEAD_IN_SAMPLES, type Mp3SegmentWriter, startMp3Segment } from './segment-writer.ts';
import { readMp3Head, walkMp3 } from './walker.ts';

/** A smaller number of frames is walked instead of skipped. */
const MIN_PASSED_FRAMES = 1_024;

interface Mp3SplitterOptions {
  /**
   * For a segment of that many samples: how many samples before it the file plays too, at most 1,152. These
   * are samples of the source; before the first segment, the decoder's output for silent frames. For files
   * that are decoded again, not for listeners.
   */
  readonly leadIn?: ((sampleCount: number) => number) | undefined;
}

export const splitMp3 = createMp3Splitter({});

export function createMp3Splitter(splitterOptions: Mp3SplitterOptions): CopySplitter {
  return (source, options) => split(source, options, splitterOptions);
}

/**
 * Cuts mp3 by duration exact to the sample, by size between frames. A frame that contains a boundary goes
 * into both files, and its declared delay or padding trims it in each.
 *
 * Decoders disagree about what is audible. Here, a frame cut short by the end of the source is no frame (as
 * in mpg123; ffmpeg plays what it can decode of it). The info frame is never audible, whichever count it
 * states (if that is 0, ffmpeg before 5 and mpg123 play the frame or lose the delay). The padding is trimmed
 * only if that count is right.
 *
 * Sample positions here are raw (see segment-writer.ts); the first audible one is `audibleStart`.
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

  const { sparseFile, signal } = options;
  const findFrame =
    sparseFile && (await findConstantFrames(sparseFile, { head, start: reader.position, signal }));
  let frameIndex = 0;
  let segmentStart = audibleStart;
  let boundary = audibleStart + cut.endSample(sampleRateHz, 0);
  let writer = startSegment();

  function startSegment(): Mp3SegmentWriter {
    const file = segments.open();
    const tags = tagsAt(options, segments.finishedCount);
    const numbered = head.tag && numberTag(head.tag, segments.finishedCount + 1);
    for (const part of (tags === undefined ? numbered : retag(tags)) ?? []) file.append(part);
    return startMp3Segment(file, head, reservoir, {
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

  /** The number of frames from `from` on that go into the open segment as a whole, before the next cut. */
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

  /**
   * Walks to the end of the source, or to where frames may be skipped; returns the frame to continue with.
   */
  async function walk(): Promise<Mp3FramePlace | undefined> {
    const passedSamples = frameIndex * samplesPerFrame;
    for await (const batch of lookAheadRuns(walkMp3(reader, head), heldSamples)) {
      if (batch.totalSampleCount !== undefined) {
        const totalSamples = passedSamples + batch.totalSampleCount;
        const isWhole = totalSamples === (head.info?.frameCount ?? 0) * samplesPerFrame;
        audibleEnd = totalSamples - (isWhole ? trimmedSamples : 0);
      }
      for (const run of batch.runs) await place(run, audibleEnd);
      writer.flush();
      reader.releaseBefore(Math.min(batch.heldStart, reservoir.start()));
      const next = await nextNeeded();
      if (next !== undefined) return next;
    }
    return undefined;
  }

  async function nextNeeded(): Promise<Mp3FramePlace | undefined> {
    if (findFrame === undefined) return undefined;
    const wantedFrom = nextWantedStart(cut, sampleRateHz, segments.finishedCount);
    if (wantedFrom === undefined) return undefined;
    const wantedFrame = Math.floor((audibleStart + wantedFrom) / samplesPerFrame) - MAX_REMEMBERED_FRAMES;
    if (wantedFrame < frameIndex + MIN_PASSED_FRAMES) return undefined;
    const found = await findFrame(wantedFrame);
    return found !== undefined && found.position > reader.position ? found : undefined;
  }

  for (let next = await walk(); next !== undefined; next = await walk()) {
    writer.pass(next.frameIndex - frameIndex);
    frameIndex = next.frameIndex;
    await reader.skip(next.position - reader.position);
  }
  if (audibleEnd <= segmentStart) throw unsupportedMedia('The source holds no audible sample.');
  await endSegment(audibleEnd);
  return await segments.result(reader.position);
}

/** Samples that the info frame declares as padding at the end; right only if its frame count is. */
