import {
  type BlockTitle,
  type FlacFrameHeader,
  MAX_HEADER_BYTES,
  writeFrameHeader,
} from '../frame-header.ts';
import { SPARE_BYTES } from './bit-writer.ts';
import { crc16 } from './crc.ts';
import type { BlockSpan } from './pcm-block.ts';
import { planSubframe, type Subframe, writeSubframe } from './subframe-encoder.ts';

/** A block that is ready to be written as a separate frame. */
export interface BlockPlan {
  readonly sampleCount: number;
  /** Of the subframes, padded to whole bytes. */
  readonly bodyBytes: number;
  readonly channelCode: number;
  readonly subframes: readonly Subframe[];
}

const CRC16_BYTES = 2;
const LEFT_RIGHT = 1;
const LEFT_SIDE = 8;
const SIDE_RIGHT = 9;
const MID_SIDE = 10;
const MAX_INTEGER_BITS = 32;

/** The maximum size of a planned frame besides its body. */
export const FRAME_OVERHEAD_BYTES = MAX_HEADER_BYTES + CRC16_BYTES;

/**
 * Plans a frame of these samples. It favours speed over the smallest size, because only blocks at a boundary
 * are encoded.
 */
export function planBlock({ block: { channels }, from, to }: BlockSpan, bitsPerSample: number): BlockPlan {
  const count = to - from;
  const subframes = channels.map((samples) => planSubframe({ samples, from, to }, bitsPerSample));
  const [left, right] = subframes;
  if (
    subframes.length !== 2 ||
    left === undefined ||
    right === undefined ||
    bitsPerSample === MAX_INTEGER_BITS
  ) {
    return finishPlan(count, subframes.length - 1, subframes);
  }
  const sideSamples = new Int32Array(count);
  const midSamples = new Int32Array(count);
  for (let index = 0; index < count; index++) {
    const leftSample = left.run.samples[from + index] ?? 0;
    const rightSample = right.run.samples[from + index] ?? 0;
    sideSamples[index] = leftSample - rightSample;
    midSamples[index] = (leftSample + rightSample) >> 1;
  }
  const side = planSubframe({ samples: sideSamples, from: 0, to: count }, bitsPerSample + 1);
  const mid = planSubframe({ samples: midSamples, from: 0, to: count }, bitsPerSample);
  return [
    finishPlan(count, LEFT_SIDE, [left, side]),
    finishPlan(count, SIDE_RIGHT, [side, right]),
    finishPlan(count, MID_SIDE, [mid, side]),
  ].reduce(
    (best, other) => (other.bodyBytes < best.bodyBytes ? other : best),
    finishPlan(count, LEFT_RIGHT, subframes),
  );
}

function finishPlan(sampleCount: number, channelCode: number, subframes: readonly Subframe[]): BlockPlan {
  const bitCount = subframes.reduce((sum, subframe) => sum + subframe.bitCount, 0);
  return { sampleCount, bodyBytes: Math.ceil(bitCount / 8), channelCode, subframes };
}

/** The frame, in the format of `sibling`, another frame of the stream. */
export function encodeBlock(
  { sampleCount, bodyBytes, channelCode, subframes }: BlockPlan,
  sibling: FlacFrameHeader,
  title: Pick<BlockTitle, 'isVariable' | 'codedNumber'>,
): Buffer {
  const frame = Buffer.alloc(FRAME_OVERHEAD_BYTES + bodyBytes + SPARE_BYTES);
  const bodyStart = writeFrameHeader(frame, 0, sibling, { ...title, blockSamples: sampleCount, channelCode });
  const bodyEnd = bodyStart + bodyBytes;
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  const writer = { view, position: 8 * bodyStart };
  for (const subframe of subframes) writeSubframe(writer, subframe);
  const end = frame.writeUInt16BE(crc16(frame, 0, bodyEnd), bodyEnd);
  return frame.subarray(0, end);
}
