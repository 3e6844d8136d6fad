import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createCutRule } from '../../cuts/create-cut-rule.ts';
import { failsWith } from '../../testing/fails-with.ts';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { assertAnyChunks } from '../testing/any-chunks.ts';
import { encodedForSuite } from '../testing/encoded-sources.ts';
import { type SourceSpec, withScratchDir } from '../testing/ffmpeg.ts';
import { decodeAll, inChunks, splitBuffer } from '../testing/split-buffer.ts';
import { crc8, crc16, crc16OverZeros } from './coding/crc.ts';
import { readFrameHeader, writeCodedNumber } from './frame-header.ts';
import { createFlacSplitter } from './split-flac.ts';
import { assertSound, createFlac, readFlac } from './testing/flac-streams.ts';

const SOURCES: Readonly<Record<string, SourceSpec>> = {
  'stereo 16 bit': {
    seconds: 7.3,
    sampleRateHz: 44_100,
    channelCount: 2,
    encode: ['-c:a', 'flac', '-sample_fmt', 's16', '-metadata', 'title=Sweep'],
    extension: 'flac',
  },
  'stereo 24 bit 96 kHz': {
    seconds: 5,
    sampleRateHz: 96_000,
    channelCount: 2,
    encode: ['-c:a', 'flac', '-sample_fmt', 's32'],
    extension: 'flac',
  },
  'mono 8 kHz, small blocks': {
    seconds: 6.05,
    sampleRateHz: 8_000,
    channelCount: 1,
    encode: ['-c:a', 'flac', '-sample_fmt', 's16', '-frame_size', '64'],
    extension: 'flac',
  },
};
const TWO_SECONDS = { mode: 'duration', segmentDurationSeconds: 2 } as const;
/** Makes the decoder fail on a wrong frame checksum. */
const CHECKED = ['-err_detect', 'crccheck+explode'];

describe('flac copy', () => {
  const encoded = encodedForSuite(SOURCES);

  for (const [name, spec] of Object.entries(SOURCES)) {
    test(`${name}: joined segments decode to the same audio as the source`, async () => {
      const source = encoded(name);
      const [whole = Buffer.alloc(0)] = await decodeAll([source], 'flac', 's32le');
      const bytesPerSample = 4 * spec.channelCount;
      const fileSize = { mode: 'fileSize', maxFileSizeBytes: Math.ceil(source.length / 3) } as const;
      for (const cut of [TWO_SECONDS, fileSize]) {
        const { result, segments, files } = await splitBuffer('flac', source, cut);
        const decoded = await decodeAll(files, 'flac', 's32le', CHECKED);
        assert.deepEqual(
          decoded.map((pcm) => pcm.length / bytesPerSample),
          segments.map((segment) => segment.sampleCount),
        );
        assert.ok(Buffer.concat(decoded).equals(whole), `${cut.mode}: decoded samples differ`);
        assert.equal(result.sourceSampleCount, Math.round(spec.seconds * spec.sampleRateHz));
        assert.equal(result.sourceSizeBytes, source.length);
        for (const [index, file] of files.entries()) {
          assertSound(await readFlac(file));
          if (cut.mode === 'fileSize') {
            assert.ok(file.length <= cut.maxFileSizeBytes);
            if (index < files.length - 1) assert.ok(file.length > cut.maxFileSizeBytes - 100);
          } else {
            assert.equal(segments[index]?.startSample, index * 2 * spec.sampleRateHz);
          }
        }
      }
    });
  }

  test('any cut of any stream is exact, valid, and includes all of the source', async () => {
    const blockSamples = fc.oneof(fc.integer({ min: 16, max: 40 }), fc.integer({ min: 41, max: 5_000 }));
    const cuts = fc.oneof(
      fc
        .integer({ min: 8_000, max: 20_000 })
        .map((samples) => ({ mode: 'duration', segmentDurationSeconds: samples / 8_000 }) as const),
      fc
        .integer({ min: 2_000, max: 30_000 })
        .map((maxFileSizeBytes) => ({ mode: 'fileSize', maxFileSizeBytes }) as const),
    );
    const streams = fc.record({
      blockSamples,
      sampleCount: fc.integer({ min: 1, max: 40_000 }),
      bitsPerSample: fc.constantFrom(8, 12, 16, 24, 32),
      channelCount: fc.integer({ min: 1, max: 3 }),
      isVariable: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(streams, cuts, fc.nat(9), async (stream, cut, seed) => {
        const channels = Array.from({ length: stream.channelCount }, (_, index) =>
          wave(stream.sampleCount, stream.bitsPerSample, seed + index),
        );
        const block = { channels, sampleCount: stream.sampleCount };
        const fixed = createFlac(block, stream.bitsPerSample, stream.blockSamples);
        const source = stream.isVariable ? withVariableBlocks(fixed) : fixed;
        const { files, segments } = await splitBuffer('flac', source, cut);
        const joined: number[][] = channels.map(() => []);
        for (const [index, file] of files.entries()) {
          const read = await readFlac(file);
          assertSound(read);
          assert.equal(read.channels[0]?.length, segments[index]?.sampleCount);
          for (const [channel, samples] of read.channels.entries()) joined[channel]?.push(...samples);
          if (cut.mode === 'fileSize') assert.ok(file.length <= cut.maxFileSizeBytes);
          else {
            const start = Math.round(index * cut.segmentDurationSeconds * 8_000);
            assert.equal(segments[index]?.startSample, start);
          }
        }
        for (const [channel, samples] of channels.entries()) {
          assert.ok(
            Buffer.from(Int32Array.from(joined[channel] ?? []).buffer).equals(Buffer.from(samples.buffer)),
          );
        }
      }),
      { numRuns: 60 },
    );
  });

  test('the grid of equal blocks is kept if segments start on it', async () => {
    const sampleCount = 32_000;
    const block = { channels: [wave(sampleCount, 16, 1)], sampleCount };
    const onGrid = await splitBuffer('flac', createFlac(block, 16, 1_000), TWO_SECONDS);
    const offGrid = await splitBuffer('flac', createFlac(block, 16, 1_001), TWO_SECONDS);
    const isVariable = async (file: Buffer): Promise<boolean> => (await readFlac(file)).hasVariableBlocks;
    assert.deepEqual(await Promise.all(onGrid.files.map(isVariable)), [false, false]);
    assert.deepEqual(await Promise.all(offGrid.files.map(isVariable)), [false, true]);
  });

  test('fewer than 16 samples after a boundary are put into one block with the following samples', async () => {
    const sampleCount = 32_000;
    const block = { channels: [wave(sampleCount, 16, 1)], sampleCount };
    // After the boundary 1, 14 and 12 samples are left; the second time both together are too many for one
    // block.
    for (const [blockSamples, merged] of [
      [16_001, 16_000],
      [5_338, Math.ceil((14 + 5_338) / 2)],
      [4_003, 12 + 4_003],
    ] as const) {
      const { files } = await splitBuffer('flac', createFlac(block, 16, blockSamples), TWO_SECONDS);
      const second = await readFlac(files[1] ?? Buffer.alloc(0));
      assertSound(second);
      assert.equal(second.blockSamples[0], merged);
    }
  });

  test('without MD5 the same frames are written, and damage away from the boundaries is passed on', async () => {
    const source = encoded('stereo 16 bit');
    const plain = await splitWithoutMd5(source);
    const checked = await splitBuffer('flac', source, TWO_SECONDS);
    for (const [index, file] of plain.entries()) {
      assert.ok(file.subarray(26, 42).equals(Buffer.alloc(16)));
      checked.files[index]?.copy(file, 26, 26, 42);
    }
    assert.deepEqual(plain, checked.files);
    const damaged = Buffer.from(source);
    const at = 60_000;
    damaged[at] = (damaged[at] ?? 0) ^ 0x10;
    await assert.rejects(splitBuffer('flac', damaged, TWO_SECONDS), CopyNotPossibleError);
    assert.equal((await splitWithoutMd5(damaged)).length, plain.length);
  });

  test('a short remainder joins the last segment, and tags are added to every segment', async () => {
    const short = await splitBuffer('flac', encoded('mono 8 kHz, small blocks'), TWO_SECONDS);
    assert.equal(short.segments.length, 3);
    const { files } = await splitBuffer('flac', encoded('stereo 16 bit'), TWO_SECONDS);
    assert.equal(files.length, 4);
    for (const file of files) assert.ok(file.includes('Sweep'));
  });

  test('of an excessive number of tags a thousand are kept', async () => {
    const source = encoded('mono 8 kHz, small blocks');
    const emptyPictures = Buffer.alloc(5_000 * 4, Buffer.of(6, 0, 0, 0));
    const { head } = await readFlac(
      Buffer.concat([source.subarray(0, 42), emptyPictures, source.subarray(42)]),
    );
    assert.equal(head.tags.length, 1_000);
  });

  test('blocks numbered by samples keep that numbering', async () => {
    const name = 'mono 8 kHz, small blocks';
    const source = withVariableBlocks(encoded(name));
    const [whole = Buffer.alloc(0)] = await decodeAll([encoded(name)], 'flac', 's32le');
    const { files, segments } = await splitBuffer('flac', source, TWO_SECONDS);
    assert.ok(Buffer.concat(await decodeAll(files, 'flac', 's32le', CHECKED)).equals(whole));
    assert.equal(segments.length, 3);
  });

  test('chunk boundaries make no difference', async () => {
    const source = encoded('mono 8 kHz, small blocks');
    await assertAnyChunks({ container: 'flac', source, cut: TWO_SECONDS, maxChunkBytes: 3_000 });
  });

  test('foreign tags before and after are omitted, a truncated source keeps its complete frames', async () => {
    const source = encoded('stereo 16 bit');
    const plain = await splitBuffer('flac', source, TWO_SECONDS);
    const id3v2 = Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\x01\0', 'latin1'), Buffer.alloc(128)]);
    const id3v1 = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)]);
    const tagged = await splitBuffer('flac', Buffer.concat([id3v2, source, id3v1]), TWO_SECONDS);
    assert.deepEqual(tagged.files, plain.files);
    const half = await splitBuffer('flac', source.subarray(0, Math.floor(source.length / 2)), TWO_SECONDS);
    const [whole = Buffer.alloc(0)] = await decodeAll([source], 'flac', 's32le');
    const joined = Buffer.concat(await decodeAll(half.files, 'flac', 's32le', CHECKED));
    assert.ok(joined.length > 0.4 * whole.length);
    assert.ok(joined.equals(whole.subarray(0, joined.length)));
  });

  test('lost frames, a change of format and foreign sources are rejected', async () => {
    const source = encoded('stereo 16 bit');
    const gap = Buffer.concat([source.subarray(0, 100_000), source.subarray(200_000)]);
    await assert.rejects(splitBuffer('flac', gap, TWO_SECONDS), CopyNotPossibleError);
    const mixed = Buffer.concat([source, encoded('stereo 24 bit 96 kHz')]);
    await assert.rejects(splitBuffer('flac', mixed, TWO_SECONDS), CopyNotPossibleError);
    for (const foreign of [
      Buffer.alloc(0),
      Buffer.alloc(500_000),
      source.subarray(0, 60),
      Buffer.from('fLaC'),
    ]) {
      await assert.rejects(splitBuffer('flac', foreign, TWO_SECONDS), failsWith('UNSUPPORTED_MEDIA'));
    }
  });

  test('limits: bytes, source length', async () => {
    const source = encoded('stereo 16 bit');
    await assert.rejects(
      splitBuffer('flac', source, { mode: 'fileSize', maxFileSizeBytes: 60 }),
      failsWith('SEGMENT_LIMIT_UNREACHABLE'),
    );
    await splitBuffer('flac', source, TWO_SECONDS, { maxSourceDurationMs: 7_300 });
    await assert.rejects(
      splitBuffer('flac', source, TWO_SECONDS, { maxSourceDurationMs: 7_299 }),
      failsWith('QUOTA_EXCEEDED'),
    );
  });

  test('coded numbers survive a round trip', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 36 - 1 }), (number) => {
        const start = Buffer.concat([Buffer.of(0xff, 0xf8, 0xc9, 0x18), numberBytes(number)]);
        const header = readFrameHeader(Buffer.concat([start, Buffer.of(crc8(start))]), 0);
        assert.equal(header?.codedNumber, number);
        assert.equal(header?.headerBytes, start.length + 1);
      }),
    );
  });

  test('the checksum over a run of zeros is correct', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 3_000 }),
        (bytes, zeros) => {
          const message = Buffer.concat([bytes, Buffer.alloc(zeros)]);
          assert.equal(crc16OverZeros(crc16(bytes), zeros), crc16(message));
        },
      ),
    );
  });
});

function splitWithoutMd5(source: Buffer): Promise<readonly Buffer[]> {
  return withScratchDir(async (outputDir) => {
    const files: Buffer[] = [];
    await createFlacSplitter({ audioMd5: false })(inChunks(source), {
      cut: createCutRule(TWO_SECONDS),
      outputDir,
      signal: new AbortController().signal,
      onSegment: async ({ path }) => {
        files.push(await readFile(path));
      },
      onBytes: () => undefined,
    });
    return files;
  });
}

function numberBytes(number: number): Buffer {
  const bytes = Buffer.alloc(7);
  return bytes.subarray(0, writeCodedNumber(bytes, 0, number));
}

/** A wave with occasional noise, so that its coded size changes often. */
function wave(sampleCount: number, bitsPerSample: number, seed: number): Int32Array {
  const peak = 2 ** (bitsPerSample - 1) - 1;
  let noise = seed + 1;
  return Int32Array.from({ length: sampleCount }, (_, index) => {
    noise = (Math.imul(noise, 1_103_515_245) + 12_345) | 0;
    const hiss = index % 3_000 < 500 ? 0.4 * (noise / 2 ** 31) : 0;
    return Math.round(peak * (0.5 * Math.sin(index * (0.01 + seed / 1_000)) + hiss));
  });
}

/** Marks every frame as numbered by samples, as encoders with variable block sizes do. */
function withVariableBlocks(source: Buffer): Buffer {
  const starts: number[] = [];
  for (
    let at = source.indexOf(Buffer.of(0xff, 0xf8));
    at >= 0;
    at = source.indexOf(Buffer.of(0xff, 0xf8), at + 1)
  ) {
    if (readFrameHeader(source, at)?.codedNumber === starts.length) starts.push(at);
  }
  let samples = 0;
  const frames = starts.map((start, index) => {
    const frame = source.subarray(start, starts[index + 1] ?? source.length);
    const header = readFrameHeader(frame, 0);
    if (header === undefined) throw new Error('no frame');
    const numbered = Buffer.concat([
      Buffer.of(0xff, 0xf9),
      frame.subarray(2, 4),
      numberBytes(samples),
      frame.subarray(4 + header.codedNumberBytes, header.headerBytes - 1),
    ]);
    samples += header.blockSamples;
    const body = frame.subarray(header.headerBytes, -2);
    const message = Buffer.concat([numbered, Buffer.of(crc8(numbered)), body]);
    const checksum = crc16(message);
    return Buffer.concat([message, Buffer.of(checksum >> 8, checksum & 0xff)]);
  });
  return Buffer.concat([source.subarray(0, starts[0] ?? 0), ...frames]);
}
