/**
 * Puts frames into segments that end exact to the sample.
 *
 * Frames are passed on unchanged except for their number. Only the block that contains a boundary, or that
 * exceeds a byte ceiling, is decoded and encoded again as smaller blocks. A segment that begins on the
 * source's grid of equal blocks ends with at most one shorter block and remains a stream of fixed block size.
 * A segment that begins off the grid becomes a stream of varying block sizes, whose frames are numbered by
 * samples.
 *
 * Only the last block of a stream may have fewer than 16 samples. If fewer remain of a block after a
 * boundary, they are joined with the next block; if both together are too large for one block, they are
 * halved.
 */
import type { CutRule } from '../../cuts/cut-rule.ts';
import { segmentLimitUnreachable } from '../../media-error.ts';
import type { SegmentTags } from '../copy-contract.ts';
import type { SegmentSequence } from '../segments/segment-sequence.ts';
import { FRAME_OVERHEAD_BYTES } from './coding/block-encoder.ts';
import { createFrameDecoder } from './coding/frame-decoder.ts';
import { type BlockSpan, joinBlocks, type PcmBlock, samplesFrom } from './coding/pcm-block.ts';
import { fitBlock } from './fit-block.ts';
import type { FlacFrameHeader } from './frame-header.ts';
import { createFlacSegment, type FlacSegment } from './segment-writer.ts';
import { type FlacHead, MIN_BLOCK_SAMPLES } from './stream-head.ts';
import type { FlacFrame } from './walker.ts';

interface FramePlacer {
  /**
   * Takes the next frame; undefined if that is done synchronously. `totalSampleCount`: of the stream;
   * Infinity while it is only known that at least the minimum remainder follows the frame.
   */
  place(frame: FlacFrame, totalSampleCount: number): Promise<void> | undefined;
  /**
   * Whether samples of an open segment that is not wanted may be skipped: no samples before them are left
   * over.
   */
  readonly canPass: boolean;
  /** Skips samples that are not read; they end within the open segment. */
  pass(sampleCount: number): void;
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

interface PlaceSamplesOptions {
  readonly totalSampleCount: number;
  /** A segment that begins with the block's first sample begins off the grid. */
  readonly isVariable: boolean;
}

/** Blocks of up to this size are in FLAC's streamable subset at every rate (RFC 9639 7). */
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

  /** The samples that the segment may still take; Infinity if too few follow its end. */
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

  /** Like `place`, for a frame at which a segment begins or ends. */
  async function placeAtEdge(
    frame: FlacFrame,
    decoded: PcmBlock | undefined,
    totalSampleCount: number,
  ): Promise<void> {
    const { header } = frame;
    if (leftOver !== undefined) {
      const block = joinBlocks(leftOver.block, decoded ?? decode(frame));
      leftOver = undefined;
      return placeSamples(block, header, { totalSampleCount, isVariable: true });
    }
    const target = segment ?? startSegment(header.hasVariableBlocks);
    const room = roomSamples(totalSampleCount);
    if (room < frame.sampleCount || !hasRoom(target, frame)) {
      const isVariable = header.hasVariableBlocks;
      return placeSamples(decoded ?? decode(frame), header, { totalSampleCount, isVariable });
    }
    copy(target, frame, decoded);
    if (room === frame.sampleCount) await endSegment(target);
  }

  async function placeSamples(
    block: PcmBlock,
    header: FlacFrameHeader,
    { totalSampleCount, isVariable }: PlaceSamplesOptions,
  ): Promise<void> {
    for (let from = 0; from < block.sampleCount; ) {
      const room = roomSamples(totalSampleCount);
      const wanted = Math.min(block.sampleCount - from, room);
      if (wanted < MIN_BLOCK_SAMPLES && wanted < room) {
        leftOver = { block: samplesFrom(block, from), header };
        return;
      }
      from += await placeBlock({ block, from, to: from + wanted }, header, isVariable || from > 0);
      if (segment !== undefined && roomSamples(totalSampleCount) === 0) await endSegment(segment);
    }
  }

  /** Encodes as many of the samples as fit into one block of the segment; returns how many. */
  async function placeBlock(
    { block, from, to }: BlockSpan,
    header: FlacFrameHeader,
    isVariable: boolean,
  ): Promise<number> {
    const maxBlockSamples = Math.max(gridSamples ?? 0, header.blockSamples, SUBSET_BLOCK_SAMPLES);
    const wanted = to - from > maxBlockSamples ? Math.ceil((to - from) / 2) : to - from;
    const target = segment ?? startSegment(isVariable);
    const roomBytes = limitBytes - target.sizeBytes - FRAME_OVERHEAD_BYTES;
    const plan = fitBlock({ block, from, to: from + wanted }, bitsPerSample, roomBytes);
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
    get canPass() {
      return segment !== undefined && leftOver === undefined;
    },
    pass(sampleCount) {
      segment?.pass(sampleCount);
    },
    flush() {
      segment?.flush();
    },
    async finish() {
      if (leftOver !== undefined) {
        const { block, header } = leftOver;
        for (let from = 0; from < block.sampleCount; ) {
          from += await placeBlock({ block, from, to: block.sampleCount }, header, true);
        }
      }
      if (segment !== undefined) await endSegment(segment);
    },
  };
}
