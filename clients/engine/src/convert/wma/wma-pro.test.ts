import assert from 'node:assert/strict';
import { test } from 'node:test';
import { forSuite } from '@audiosplit/chassis/testing/for-suite';
import { resolveFfmpegPath } from '../../ffmpeg/binary.ts';
import { createWmaFile } from '../../testing/asf-files.ts';
import { createAudioSamples } from '../../testing/audio-samples.ts';
import { startSplit } from '../../testing/split-run.ts';

const samples = forSuite(createAudioSamples);

const RATE_HZ = 44_100;
const FRAME_SAMPLES = 2_048;
const BLOCK_BYTES = 64;
/** Frames begin with a length of this many bits. */
const LENGTH_BITS = 10;
/**
 * Long enough that no frame ends with its block: the decoder would take the next block for the rest of this
 * frame.
 */
const FILL_BITS = '1010';

interface SilentShape {
  readonly channelCount: number;
  /** 0x40: frames begin with their length; 0x20: they may be divided; 0x80: they have a gain. */
  readonly codecFlags: number;
  /** Around the padding. */
  readonly head: string;
  readonly tail: string;
}

const MONO: SilentShape = { channelCount: 1, codecFlags: 0x40, head: '', tail: `${FILL_BITS}000` };
/** A frame consists of two halves. */
const STEREO: SilentShape = {
  channelCount: 2,
  codecFlags: 0xe0,
  head: `1${'100'.repeat(2)}0${'0'.repeat(8)}`,
  tail: `${FILL_BITS}00100000010000`,
};

function bits(value: number, bitCount: number): string {
  return value.toString(2).padStart(bitCount, '0');
}

function frameOf({ head, tail }: SilentShape, padding: number | undefined, isLast: boolean): string {
  const trim = padding === undefined ? '0' : `101${bits(padding, 12)}`;
  const body = `${head}${trim}${tail}${isLast ? '0' : '1'}`;
  return bits(LENGTH_BITS + body.length, LENGTH_BITS) + body;
}

/** All blocks but the last are full: frames continue in the next block. */
function blocksOf(frames: readonly string[]): readonly Buffer[] {
  const blocks: Buffer[] = [];
  const begins = new Set<number>();
  let length = 0;
  for (const frame of frames) {
    begins.add(length);
    length += frame.length;
  }
  const stream = frames.join('');
  const headBits = 6 + LENGTH_BITS;
  const room = 8 * BLOCK_BYTES - headBits;
  for (let at = 0; at < length; at += room) {
    let next = at;
    while (next < length && !begins.has(next)) next += 1;
    const head = bits(blocks.length & 15, 4) + bits(0, 2) + bits(next - at, LENGTH_BITS);
    const text = (head + stream.slice(at, at + room)).padEnd(8 * BLOCK_BYTES, '0');
    blocks.push(Buffer.from(text.match(/.{8}/g)?.map((byte) => Number.parseInt(byte, 2)) ?? []));
  }
  return blocks;
}

async function sampleCount(source: Uint8Array, ffmpegPath: string): Promise<number> {
  await using run = await startSplit(source, {
    ffmpegPath,
    cut: { mode: 'duration', segmentDurationSeconds: 10 },
    outputFormat: 'wav',
  });
  const { sourceSampleCount } = await run.outcome;
  assert.equal(run.segments[0]?.sampleCount, sourceSampleCount);
  return sourceSampleCount;
}

for (const shape of [MONO, STEREO]) {
  test(`wmapro of ${shape.channelCount} channels ends at the position of its last frame, with any version of ffmpeg`, async () => {
    // The last frame is in one block, or in two with its padding in the first, across their border, or in the
    // second.
    for (const frameCount of [10, 11, 26, 27, 28]) {
      for (const padding of [undefined, FRAME_SAMPLES - 1]) {
        const frames = Array.from({ length: frameCount }, (_, index) => {
          const isLast = index === frameCount - 1;
          return frameOf(shape, isLast ? padding : undefined, isLast);
        });
        const source = createWmaFile(blocksOf(frames), {
          sampleRateHz: RATE_HZ,
          channelCount: shape.channelCount,
          bytesPerSecond: 4_800,
          codec: 'wmapro',
          codecFlags: shape.codecFlags,
          packetBytes: 200,
        });
        // The decoder returns nothing for the first frame.
        const due = (frameCount - 1) * FRAME_SAMPLES - (padding ?? 0);
        const name = `${frameCount} frames, ${padding} samples of padding`;
        for (const ffmpegPath of new Set([samples.ffmpegPath, await resolveFfmpegPath(undefined)]))
          assert.equal(await sampleCount(source, ffmpegPath), due, name);
      }
    }
  });
}
