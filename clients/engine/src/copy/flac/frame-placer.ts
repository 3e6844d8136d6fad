/**
 * Puts frames into segments that end at the sample.
 *
 * Frames are passed on as they are but for their number. Only the block that holds a boundary, or the one that a
 * byte ceiling runs into, is decoded and coded anew as smaller ones. A segment that begins on the source's grid
 * of equal blocks ends with at most one shorter block and stays a stream of the fixed block size; one that begins
 * off it becomes a stream of varying ones, whose frames are numbered by samples.
 *
 * No block but a stream's last may have less than 16 samples: what is left of a block behind a boundary, if less
 * than that, is joined with the next block, and cut in halves where both are too much for one.
 */
import type { CutRule } from '../../cuts/cut-rule.ts';
import { segmentLimitUnreachable } from '../../media-error.ts';
import type { SegmentTags } from '../copy-contract.ts';
import type { SegmentSequence } from '../segments/segment-sequence.ts';
import { FRAME_OVERHEAD_BYTES } from './coding/block-encoder.ts';
import { createFrameDecoder } from './coding/frame-decoder.ts';
import { joinBlocks, type PcmBlock, samplesFrom } from './coding/pcm-block.ts';
import { fitBlock } from './fit-block.ts';
import type { FlacFrameHeader } from './frame-header.ts';
import { createFlacSegment, type FlacSegment } from './segment-writer.ts';
import { type FlacHead, MIN_BLOCK_SAMPLES } from './stream-head.ts';
import type { FlacFrame } from './walker.ts';

interface FramePlacer {
  /**
   * Takes the next frame; undefined where that is done at once. `totalSampleCount`: of the stream; Infinity while
   * it is only known that a remainder of the least length follows the frame.
   */
  place(frame: FlacFrame, totalSampleCount: number): Promise<void> | undefined;
  flush(): void;
  /** Ends the last segment. */
  finish(): Promise<void>;
}

interface FramePlacerOptions {
  readonly cut: CutRule;
  readonly head: FlacHead;
  readonly segments: SegmentSequence;
  readonly hasAudioMd5: boolean;
  /** By the index of the segment. */
  readonly tagsOf: (index: number) => SegmentTags | undefined;
}

/** Blocks up to here are in FLAC's streamable subset at every rate (RFC 9639 7). */
const SUBSET_BLOCK_SAMPLES = 4608;

export function createFramePlacer(options: FramePlacerOptions): FramePlacer {
  const { cut, head, segments, hasAudioMd5 } = options;
  const { sampleRateHz, bitsPerSample } = head;
  const limitBytes = cut.maxSegmentBytes;
  const minRemainder = cut.minRemainderSamples(sampleRateHz);
  const decode = createFrameDecoder(head);
  let gridSamples: number | undefined;
  let segment: FlacSegment | undefined;
  /** Too few samples for a block, and the frame that they came from. */
  let leftOver: { readonly block: PcmBlock; readonly header: FlacFrameHeader } | undefined;

  function startSegment(isVariable: boolean): FlacSegment {
    segment = createFlacSegment({
      file: segments.open(),
      head,
      segmentNumber: segments.finishedCount + 1,
      tags: options.tagsOf(segments.finishedCount),
      gridSamples: isVariable ? undefined : gridSamples,
      hasAudioMd5,
    });
    return segment;
  }

  async function endSegment({ sampleCount, finish }: FlacSegment): Promise<void> {
    finish();
    segment = undefined;
    await segments.finish(sampleCount);
  }

  /** The samples that the segment may still take; Infinity where what follows its end is too little. */
  function roomSamples(totalSampleCount: number): number {
    const boundary = cut.endSample(sampleRateHz, segments.finishedCount);
    if (boundary === Number.POSITIVE_INFINITY || totalSampleCount - boundary < minRemainder) {
      return Number.POSITIVE_INFINITY;
    }
    return boundary - segments.finishedSampleCount - (segment?.sampleCount ?? 0);
  }

  function copy(target: FlacSegment, frame: FlacFrame, decoded: PcmBlock | undefined): void {
    target.copy(frame);
    if (decoded !== undefined) target.audioMd5?.update(decoded, 0, decoded.sampleCount);
  }

  function hasRoom(target: FlacSegment, frame: FlacFrame): boolean {
    return target.sizeBytes + target.copiedBytes(frame) <= limitBytes;
  }

  function place(frame: FlacFrame, totalSampleCount: number): Promise<void> | undefined {
    gridSamples ??= frame.header.blockSamples;
    const decoded = hasAudioMd5 ? decode(frame) : undefined;
    const isInside = leftOver === undefined && roomSamples(totalSampleCount) > frame.sampleCount;
    if (segment === undefined || !isInside || !hasRoom(segment, frame)) {
      return placeAtEdge(frame, decoded, totalSampleCount);
    }
    copy(segment, frame, decoded);
    return undefined;
  }

  /** As `place`, where a segment begins or ends. */
  async function placeAtEdge(
    frame: FlacFrame,
    decoded: PcmBlock | undefined,
    totalSampleCount: number,
  ): Promise<void> {
    const { header } = frame;
    if (leftOver !== undefined) {
      const block = joinBlocks(leftOver.block, decoded ?? decode(frame));
      leftOver = undefined;
      return placeSamples(block, header, totalSampleCount, true);
    }
    const target = segment ?? startSegment(header.hasVariableBlocks);
    const room = roomSamples(totalSampleCount);
    if (room < frame.sampleCount || !hasRoom(target, frame)) {
      return placeSamples(decoded ?? decode(frame), header, totalSampleCount, header.hasVariableBlocks);
    }
    copy(target, frame, decoded);
    if (room === frame.sampleCount) await endSegment(target);
  }

  /** `isVariable`: a segment that begins with the block's first sample begins off the grid. */
  async function placeSamples(
    block: PcmBlock,
    header: FlacFrameHeader,
    totalSampleCount: number,
    isVariable: boolean,
  ): Promise<void> {
    for (let from = 0; from < block.sampleCount; ) {
      const room = roomSamples(totalSampleCount);
      const wanted = Math.min(block.sampleCount - from, room);
      if (wanted < MIN_BLOCK_SAMPLES && wanted < room) {
        leftOver = { block: samplesFrom(block, from), header };
        return;
      }
      from += await placeBlock(block, from, from + wanted, header, isVariable || from > 0);
      if (segment !== undefined && roomSamples(totalSampleCount) === 0) await endSegment(segment);
    }
  }

  /** Codes as many of samples [from, to) as fit into one block of the segment; returns how many. */
  async function placeBlock(
    block: PcmBlock,
    from: number,
    to: number,
    header: FlacFrameHeader,
    isVariable: boolean,
  ): Promise<number> {
    const maxBlockSamples = Math.max(gridSamples ?? 0, header.blockSamples, SUBSET_BLOCK_SAMPLES);
    const wanted = to - from > maxBlockSamples ? Math.ceil((to - from) / 2) : to - from;
    const target = segment ?? startSegment(isVariable);
    const roomBytes = limitBytes - target.sizeBytes - FRAME_OVERHEAD_BYTES;
    const plan = fitBlock(block, from, from + wanted, bitsPerSample, roomBytes);
    if (plan !== undefined) {
      target.encode(plan, header);
      target.audioMd5?.update(block, from, from + plan.sampleCount);
    } else if (target.sampleCount === 0) {
      throw segmentLimitUnreachable();
    }
    const placed = plan?.sampleCount ?? 0;
    if (placed < wanted) await endSegment(target);
    return placed;
  }

  return {
    place,
    flush() {
      segment?.flush();
    },
    async finish() {
      if (leftOver !== undefined) {
        const { block, header } = leftOver;
        for (let from = 0; from < block.sampleCount; ) {
          from += await placeBlock(block, from, block.sampleCount, header, true);
        }
      }
      if (segment !== undefined) await endSegment(segment);
    },
  };
}
