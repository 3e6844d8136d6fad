import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { CopyNotPossibleError } from '../../copy-contract.ts';
import { decodeFile, runFfmpeg, withScratchDir } from '../../testing/ffmpeg.ts';
import { decodeAll } from '../../testing/split-buffer.ts';
import { writeFrameHeader } from '../frame-header.ts';
import { createFlac, headerFor, md5Of, readFlac } from '../testing/flac-streams.ts';
import { type BitWriter, writeBits } from './bit-writer.ts';
import { crc16 } from './crc.ts';
import { createFrameDecoder } from './frame-decoder.ts';
import type { PcmBlock } from './pcm-block.ts';

const ENCODINGS: readonly (readonly [depth: 16 | 24, channels: number, options: readonly string[]])[] = [
  [16, 1, ['-compression_level', '0']],
  [16, 2, ['-compression_level', '5']],
  [16, 2, ['-compression_level', '12', '-frame_size', '65535', '-strict', '-2']],
  [16, 8, ['-compression_level', '8', '-frame_size', '1000']],
  [24, 1, ['-frame_size', '16', '-strict', '-2']],
  [24, 2, ['-compression_level', '12', '-lpc_type', 'cholesky']],
  [24, 6, ['-compression_level', '5', '-ch_mode', 'indep']],
];

describe('flac decoding', () => {
  for (const [bitsPerSample, channelCount, options] of ENCODINGS) {
    test(`${channelCount} × ${bitsPerSample} bit, ${options.join(' ')}: as ffmpeg decodes it`, async () => {
      const expressions = Array.from(
        { length: channelCount },
        (_, index) => `0.5*sin((300+${index * 70}*t)*t)+0.1*random(${index})*gt(mod(t\\,0.2)\\,0.1)`,
      );
      const seconds = options.includes('16') ? 0.2 : 2;
      await withScratchDir(async (dir) => {
        const path = `${dir}/source.flac`;
        const lavfi = `aevalsrc=${expressions.join('|')}:s=44100:d=${seconds}`;
        const depth = ['-sample_fmt', bitsPerSample === 16 ? 's16' : 's32'];
        await runFfmpeg(['-f', 'lavfi', '-i', lavfi, '-c:a', 'flac', ...depth, ...options, path]);
        const expected = await decodeFile(path, 's32le');
        const { channels, head } = await readFlac(await readFile(path));
        assert.equal(head.bitsPerSample, bitsPerSample);
        assert.ok(interleave(channels, 2 ** (32 - bitsPerSample)).equals(expected));
        assert.equal(head.streamInfo.toString('hex', 18), md5Of(channels, bitsPerSample));
      });
    });
  }

  test('this decoder restores what this encoder encodes, at any depth', async () => {
    await fc.assert(
      fc.asyncProperty(pcm(), fc.integer({ min: 16, max: 120 }), async ({ block, bitsPerSample }, size) => {
        const { channels } = await readFlac(createFlac(block, bitsPerSample, size));
        assert.deepEqual(channels, rows(block));
      }),
      { numRuns: 300 },
    );
  });

  test('ffmpeg restores what this encoder encodes', async () => {
    for (const bitsPerSample of [8, 12, 16, 20, 24]) {
      const [{ block } = { block: undefined }] = fc.sample(pcm(bitsPerSample, 2_000), {
        numRuns: 1,
        seed: 7,
      });
      assert.ok(block !== undefined);
      const [decoded] = await decodeAll([createFlac(block, bitsPerSample, 192)], 'flac', 's32le', [
        '-err_detect',
        'crccheck+explode',
      ]);
      assert.ok(interleave(rows(block), 2 ** (32 - bitsPerSample)).equals(decoded ?? Buffer.alloc(0)));
    }
  });

  test('the difference of two 32-bit channels has 33 bits', () => {
    const word = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
    const extreme = fc.oneof(word, fc.constantFrom(-(2 ** 31), 2 ** 31 - 1, 0, -1));
    const pairs = fc.array(fc.tuple(extreme, extreme), { minLength: 16, maxLength: 40 });
    fc.assert(
      fc.property(pairs, fc.constantFrom(8, 9, 10), (stereo, channelCode) => {
        const { decode, frame } = wideFrame(stereo, channelCode);
        const { channels, sampleCount } = decode(frame);
        const decoded = Array.from({ length: sampleCount }, (_, index) => channels.map((row) => row[index]));
        assert.deepEqual(decoded, stereo);
      }),
    );
  });

  test('a damaged frame is rejected, even with a correct checksum', () => {
    const { decode, frame } = wideFrame(
      Array.from({ length: 32 }, (_, index) => [index, -index]),
      10,
    );
    const { window, header } = frame;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: header.headerBytes, max: window.length - 3 }), fc.nat(255)), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.boolean(),
        (changes, isMended) => {
          const damaged = Buffer.from(window);
          for (const [at, value] of changes) damaged[at] = value;
          if (damaged.equals(window)) return;
          const checksum = crc16(damaged.subarray(0, -2));
          if (isMended) damaged.writeUInt16BE(checksum, damaged.length - 2);
          try {
            assert.equal(decode({ ...frame, window: damaged }).sampleCount, 32);
            // The checksum of a damaged frame matches by chance once in 65,536.
            assert.equal(damaged.readUInt16BE(damaged.length - 2), checksum);
          } catch (error) {
            if (!(error instanceof CopyNotPossibleError)) throw error;
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

/** Random samples, runs of one value, ramps and extremes, often with zeros at the end of all samples. */
function pcm(depth?: number, length = 300): fc.Arbitrary<{ block: PcmBlock; bitsPerSample: number }> {
  const bits = depth === undefined ? fc.integer({ min: 4, max: 32 }) : fc.constant(depth);
  return fc
    .tuple(
      bits,
      fc.integer({ min: 1, max: depth === undefined ? 8 : 2 }),
      fc.integer({ min: 1, max: length }),
    )
    .chain(([bitsPerSample, channelCount, sampleCount]) => {
      const min = -(2 ** (bitsPerSample - 1));
      const max = -min - 1;
      const count = depth === undefined ? sampleCount : length;
      const step = fc.integer({ min: -9, max: 9 });
      const run = fc.oneof(
        fc.array(fc.integer({ min, max }), { minLength: 1, maxLength: 40 }),
        fc.array(fc.constantFrom(min, max, 0), { minLength: 1, maxLength: 40 }),
        fc
          .tuple(fc.integer({ min, max }), step, fc.integer({ min: 1, max: 200 }))
          .map(([start, by, many]) =>
            Array.from({ length: many }, (_, index) => Math.min(max, Math.max(min, start + by * index))),
          ),
      );
      const channel = fc
        .tuple(fc.array(run, { minLength: 1, maxLength: 8 }), fc.integer({ min: 0, max: bitsPerSample - 1 }))
        .map(([runs, wastedBits]) => {
          const values = runs.flat();
          return Int32Array.from({ length: count }, (_, index) => {
            const value = values[index % values.length] ?? 0;
            return index % 2 === 0 && wastedBits < 3 ? value : (value >> wastedBits) << wastedBits;
          });
        });
      return fc
        .array(channel, { minLength: channelCount, maxLength: channelCount })
        .map((channels) => ({ block: { channels, sampleCount: count }, bitsPerSample }));
    });
}

function rows({ channels }: PcmBlock): readonly (readonly number[])[] {
  return channels.map((samples) => Array.from(samples));
}

function interleave(channels: readonly (readonly number[])[], scale: number): Buffer {
  const sampleCount = channels[0]?.length ?? 0;
  const bytes = Buffer.alloc(4 * sampleCount * channels.length);
  let at = 0;
  for (let index = 0; index < sampleCount; index++) {
    for (const samples of channels) at = bytes.writeInt32LE((samples[index] ?? 0) * scale, at);
  }
  return bytes;
}

/** A frame of two 32-bit channels: the sum and the difference are both verbatim. */
function wideFrame(
  stereo: readonly (readonly [number, number])[] | readonly (readonly number[])[],
  channelCode: number,
): {
  decode: ReturnType<typeof createFrameDecoder>;
  frame: Parameters<ReturnType<typeof createFrameDecoder>>[0];
} {
  const memory = Buffer.alloc(64 + 10 * stereo.length);
  const title = { isVariable: false, codedNumber: 0, blockSamples: stereo.length, channelCode };
  const headerBytes = writeFrameHeader(memory, 0, headerFor(32), title);
  const writer: BitWriter = {
    view: new DataView(memory.buffer, memory.byteOffset, memory.length),
    position: 8 * headerBytes,
  };
  const writeVerbatim = (values: readonly number[], bitCount: number): void => {
    writeBits(writer, 1 << 1, 8);
    for (const value of values) {
      writeBits(writer, Math.floor(value / 2 ** 16), bitCount - 16);
      writeBits(writer, value, 16);
    }
  };
  const side = stereo.map(([left = 0, right = 0]) => left - right);
  const mid = stereo.map(([left = 0, right = 0]) => Math.floor((left + right) / 2));
  if (channelCode === 9) writeVerbatim(side, 33);
  writeVerbatim(channelCode === 10 ? mid : stereo.map((pair) => pair[channelCode === 9 ? 1 : 0] ?? 0), 32);
  if (channelCode !== 9) writeVerbatim(side, 33);
  const bodyEnd = Math.ceil(writer.position / 8);
  const end = memory.writeUInt16BE(crc16(memory, 0, bodyEnd), bodyEnd);
  const header = { ...headerFor(32), headerBytes, blockSamples: stereo.length, channelCode, channelCount: 2 };
  const decode = createFrameDecoder({
    streamInfo: Buffer.alloc(34),
    sampleRateHz: 8_000,
    channelCount: 2,
    bitsPerSample: 32,
    maxBlockSamples: stereo.length,
    statedSamples: 0,
    tags: [],
  });
  const window = memory.subarray(0, end);
  return { decode, frame: { window, start: 0, end, header, sampleCount: stereo.length } };
}
