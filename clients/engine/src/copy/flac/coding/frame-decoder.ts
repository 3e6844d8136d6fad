import type { FlacHead } from '../stream-head.ts';
import type { FlacFrame } from '../walker.ts';
import { brokenFrame, createBitReader, loadBits } from './bit-reader.ts';
import { crc16 } from './crc.ts';
import type { PcmBlock } from './pcm-block.ts';
import type { Samples } from './prediction.ts';
import { readSubframe } from './subframe-decoder.ts';

/** Returns a frame's samples, valid until the next call. Throws CopyNotPossibleError for a damaged frame. */
type FrameDecoder = (frame: FlacFrame) => PcmBlock;

const LEFT_SIDE = 8;
const SIDE_RIGHT = 9;
const MID_SIDE = 10;
const CRC16_BYTES = 2;
const MAX_INTEGER_BITS = 32;

/** Its memory is bounded by the largest block that a header can claim: 65,535 samples of 8 channels. */
export function createFrameDecoder({ channelCount, bitsPerSample }: FlacHead): FrameDecoder {
  const reader = createBitReader();
  let channels: Int32Array[] = [];
  let wideSide = new Float64Array();

  function makeRoom(blockSamples: number): void {
    if ((channels[0]?.length ?? 0) >= blockSamples) return;
    channels = Array.from({ length: channelCount }, () => new Int32Array(blockSamples));
    if (bitsPerSample === MAX_INTEGER_BITS && channelCount === 2) wideSide = new Float64Array(blockSamples);
  }

  return ({ window, start, end, header }) => {
    const { blockSamples, channelCode } = header;
    if (crc16(window, start, end) !== 0) throw brokenFrame();
    makeRoom(blockSamples);
    loadBits(reader, window, start + header.headerBytes, end - CRC16_BYTES);
    const sideChannel = sideChannelOf(channelCode);
    for (const [index, samples] of channels.entries()) {
      const codedBits = index === sideChannel ? bitsPerSample + 1 : bitsPerSample;
      const target: Samples = codedBits > MAX_INTEGER_BITS ? wideSide : samples;
      readSubframe(reader, { samples: target, residual: samples, blockSamples }, codedBits);
    }
    // Padding to a whole byte, then the checksum.
    if (reader.end - reader.position >= 8) throw brokenFrame();
    const [first, second] = channels;
    if (sideChannel !== undefined && first !== undefined && second !== undefined) {
      const pair = { first, second, sampleCount: blockSamples };
      if (bitsPerSample === MAX_INTEGER_BITS) joinWideStereo(channelCode, pair, wideSide);
      else joinStereo(channelCode, pair);
    }
    return { channels, sampleCount: blockSamples };
  };
}

function sideChannelOf(channelCode: number): number | undefined {
  if (channelCode === LEFT_SIDE || channelCode === MID_SIDE) return 1;
  return channelCode === SIDE_RIGHT ? 0 : undefined;
}

interface ChannelPair {
  readonly first: Int32Array;
  readonly second: Int32Array;
  readonly sampleCount: number;
}

/** Converts the coded channels into left and right, in place (RFC 9639 4.2). */
function joinStereo(code: number, { first, second, sampleCount }: ChannelPair): void {
  if (code === LEFT_SIDE) {
    for (let index = 0; index < sampleCount; index++) {
      second[index] = (first[index] ?? 0) - (second[index] ?? 0);
    }
  } else if (code === SIDE_RIGHT) {
    for (let index = 0; index < sampleCount; index++) {
      first[index] = (first[index] ?? 0) + (second[index] ?? 0);
    }
  } else {
    for (let index = 0; index < sampleCount; index++) {
      const side = second[index] ?? 0;
      const doubledMid = ((first[index] ?? 0) << 1) | (side & 1);
      first[index] = (doubledMid + side) >> 1;
      second[index] = (doubledMid - side) >> 1;
    }
  }
}

function joinWideStereo(
  code: number,
  { first, second, sampleCount }: ChannelPair,
  wideSide: Float64Array,
): void {
  for (let index = 0; index < sampleCount; index++) {
    const side = wideSide[index] ?? 0;
    if (code === LEFT_SIDE) {
      second[index] = (first[index] ?? 0) - side;
    } else if (code === SIDE_RIGHT) {
      first[index] = side + (second[index] ?? 0);
    } else {
      const doubledMid = 2 * (first[index] ?? 0) + Math.abs(side % 2);
      first[index] = (doubledMid + side) / 2;
      second[index] = (doubledMid - side) / 2;
    }
  }
}
