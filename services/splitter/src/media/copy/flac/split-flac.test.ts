import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { MediaError } from '../../media.ts';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { createSource, type SourceSpec } from '../testing/ffmpeg.ts';
import { decodeAll, splitBuffer } from '../testing/split-buffer.ts';
import { crc8, crc16, crc16OverZeros } from './crc.ts';
import { encodeNumber, readFrameHeader } from './frame-header.ts';

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
  const sources = new Map<string, Buffer>();
  const encoded = (name: string): Buffer => sources.get(name) ?? Buffer.alloc(0);

  before(async () => {
    for (const [name, spec] of Object.entries(SOURCES)) sources.set(name, await createSource(spec));
  });

  for (const [name, spec] of Object.entries(SOURCES)) {
    test(`${name}: joined segments decode to what the source decodes to`, async () => {
      const source = encoded(name);
      const [whole = Buffer.alloc(0)] = await decodeAll([source], 'flac', 's32le');
      const bytesPerSample = 4 * spec.channelCount;
      const maxBlockSamples = source.readUInt16BE(10);
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
          assert.equal(file.readUInt32BE(22), segments[index]?.sampleCount);
          if (cut.mode === 'fileSize') assert.ok(file.length <= cut.maxFileSizeBytes);
          else {
            const boundary = index * 2 * spec.sampleRateHz;
            assert.ok(Math.abs((segments[index]?.startSample ?? 0) - boundary) <= maxBlockSamples / 2);
          }
        }
      }
    });
  }

  test('a short remainder joins the last segment, tags go into every one', async () => {
    const short = await splitBuffer('flac', encoded('mono 8 kHz, small blocks'), TWO_SECONDS);
    assert.equal(short.segments.length, 3);
    const { files } = await splitBuffer('flac', encoded('stereo 16 bit'), TWO_SECONDS);
    assert.equal(files.length, 4);
    for (const file of files) assert.ok(file.includes('Sweep'));
  });

  test('blocks numbered by samples stay so', async () => {
    const name = 'mono 8 kHz, small blocks';
    const source = withVariableBlocks(encoded(name));
    const [whole = Buffer.alloc(0)] = await decodeAll([encoded(name)], 'flac', 's32le');
    const { files, segments } = await splitBuffer('flac', source, TWO_SECONDS);
    assert.ok(Buffer.concat(await decodeAll(files, 'flac', 's32le', CHECKED)).equals(whole));
    assert.equal(segments.length, 3);
  });

  test('chunk boundaries make no difference', async () => {
    const source = encoded('mono 8 kHz, small blocks');
    const expected = await splitBuffer('flac', source, TWO_SECONDS);
    const sizes = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(sizes, async (chunkSizes) => {
        const chunkBytes = (index: number): number => chunkSizes[index % chunkSizes.length] ?? 1;
        const { files } = await splitBuffer('flac', source, TWO_SECONDS, { chunkBytes });
        assert.deepEqual(files, expected.files);
      }),
      { numRuns: 15 },
    );
  });

  test('foreign tags in front and behind are left out, a truncated source keeps its whole frames', async () => {
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

  test('lost frames, a change of format and foreign sources are refused', async () => {
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
      await assert.rejects(splitBuffer('flac', foreign, TWO_SECONDS), isFailure('UNSUPPORTED_MEDIA'));
    }
  });

  test('limits: bytes, source length', async () => {
    const source = encoded('stereo 16 bit');
    await assert.rejects(
      splitBuffer('flac', source, { mode: 'fileSize', maxFileSizeBytes: 5_000 }),
      isFailure('SEGMENT_LIMIT_UNREACHABLE'),
    );
    await splitBuffer('flac', source, TWO_SECONDS, { maxSourceDurationMs: 7_300 });
    await assert.rejects(
      splitBuffer('flac', source, TWO_SECONDS, { maxSourceDurationMs: 7_299 }),
      isFailure('QUOTA_EXCEEDED'),
    );
  });

  test('coded numbers survive a round trip', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 36 - 1 }), (number) => {
        const start = Buffer.concat([Buffer.of(0xff, 0xf8, 0xc9, 0x18), encodeNumber(number)]);
        const header = readFrameHeader(Buffer.concat([start, Buffer.of(crc8(start))]), 0);
        assert.equal(header?.codedNumber, number);
        assert.equal(header?.headerBytes, start.length + 1);
      }),
    );
  });

  test('a checksum over zeros is the checksum of those zeros', () => {
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
      encodeNumber(samples),
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

function isFailure(failure: MediaError['failure']): (error: unknown) => boolean {
  return (error) => error instanceof MediaError && error.failure === failure;
}
