import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { openByteReader } from '../../source/byte-reader.ts';
import { inChunks } from '../../testing/split-buffer.ts';
import { encodeBlock, planBlock } from '../coding/block-encoder.ts';
import { crc8 } from '../coding/crc.ts';
import { createFrameDecoder } from '../coding/frame-decoder.ts';
import type { PcmBlock } from '../coding/pcm-block.ts';
import { type FlacFrameHeader, readFrameHeader } from '../frame-header.ts';
import { type FlacHead, MIN_BLOCK_SAMPLES, readFlacHead } from '../stream-head.ts';
import { walkFlac } from '../walker.ts';

interface ReadStream {
  readonly head: FlacHead;
  readonly channels: readonly (readonly number[])[];
  readonly blockSamples: readonly number[];
  readonly frameBytes: readonly number[];
  readonly hasVariableBlocks: boolean;
}

/** Decodes a whole stream. */
export async function readFlac(bytes: Uint8Array): Promise<ReadStream> {
  const { signal } = new AbortController();
  await using reader = openByteReader(inChunks(bytes), { signal, onBytes: () => undefined });
  const head = await readFlacHead(reader, 1_000_000);
  const decode = createFrameDecoder(head);
  const channels: number[][] = Array.from({ length: head.channelCount }, () => []);
  const blockSamples: number[] = [];
  const frameBytes: number[] = [];
  let hasVariableBlocks = false;
  for await (const frames of walkFlac(reader, head)) {
    for (const frame of frames) {
      const block = decode(frame);
      for (const [index, samples] of block.channels.entries()) {
        for (let at = 0; at < block.sampleCount; at++) channels[index]?.push(samples[at] ?? 0);
      }
      blockSamples.push(frame.sampleCount);
      frameBytes.push(frame.end - frame.start);
      ({ hasVariableBlocks } = frame.header);
    }
  }
  return { head, channels, blockSamples, frameBytes, hasVariableBlocks };
}

/** The MD5 as defined, in the simplest form. */
export function md5Of(channels: readonly (readonly number[])[], bitsPerSample: number): string {
  const sampleBytes = Math.ceil(bitsPerSample / 8);
  const sampleCount = channels[0]?.length ?? 0;
  const bytes = Buffer.alloc(sampleCount * channels.length * sampleBytes);
  let at = 0;
  for (let index = 0; index < sampleCount; index++) {
    for (const samples of channels) at = bytes.writeIntLE(samples[index] ?? 0, at, sampleBytes);
  }
  return createHash('md5').update(bytes).digest('hex');
}

/** Fails unless STREAMINFO describes the stream correctly and its blocks conform to RFC 9639 8.2. */
export function assertSound({
  head,
  channels,
  blockSamples,
  frameBytes,
  hasVariableBlocks,
}: ReadStream): void {
  const { streamInfo, bitsPerSample } = head;
  const [minBlock, maxBlock] = [streamInfo.readUInt16BE(0), streamInfo.readUInt16BE(2)];
  const inner = blockSamples.slice(0, -1);
  assert.ok(minBlock >= MIN_BLOCK_SAMPLES && maxBlock >= minBlock);
  assert.ok(inner.every((size) => size >= minBlock));
  assert.ok(blockSamples.every((size) => size <= maxBlock));
  assert.equal(hasVariableBlocks, minBlock !== maxBlock);
  assert.equal(streamInfo.readUIntBE(4, 3), Math.min(...frameBytes));
  assert.equal(streamInfo.readUIntBE(7, 3), Math.max(...frameBytes));
  assert.equal(streamInfo.readUInt32BE(14), channels[0]?.length);
  assert.equal(streamInfo.toString('hex', 18), md5Of(channels, bitsPerSample));
}

const SAMPLE_RATE_HZ = 8_000;
const DEPTH_CODES: Readonly<Record<number, number>> = { 8: 1, 12: 2, 16: 4, 20: 5, 24: 6, 32: 7 };

/** A header in the format of the streams that `createFlac` makes. */
export function headerFor(bitsPerSample: number): FlacFrameHeader {
  const rateCode = 4;
  const start = Buffer.of(0xff, 0xf8, 0xc0 | rateCode, (DEPTH_CODES[bitsPerSample] ?? 0) << 1, 0);
  const header = readFrameHeader(Buffer.concat([start, Buffer.of(crc8(start))]), 0);
  if (header === undefined) throw new Error('no header');
  return header;
}

/** A stream of the given samples in blocks of the given size, made with the block encoder only. */
export function createFlac(block: PcmBlock, bitsPerSample: number, blockSamples: number): Buffer {
  const info = Buffer.alloc(34);
  info.writeUInt16BE(blockSamples, 0);
  info.writeUInt16BE(blockSamples, 2);
  const format = SAMPLE_RATE_HZ * 2 ** 12 + ((block.channels.length - 1) << 9) + ((bitsPerSample - 1) << 4);
  info.writeUInt32BE(format, 10);
  info.writeUInt32BE(block.sampleCount, 14);
  const frames: Buffer[] = [];
  for (let from = 0; from < block.sampleCount; from += blockSamples) {
    const to = Math.min(block.sampleCount, from + blockSamples);
    const plan = planBlock({ block, from, to }, bitsPerSample);
    const title = { isVariable: false, codedNumber: frames.length };
    frames.push(encodeBlock(plan, headerFor(bitsPerSample), title));
  }
  return Buffer.concat([Buffer.from('fLaC'), Buffer.of(0x80, 0, 0, info.length), info, ...frames]);
}
