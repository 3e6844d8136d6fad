import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../testing/fails-with.ts';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { assertAnyChunks } from '../testing/any-chunks.ts';
import { createSource } from '../testing/ffmpeg.ts';
import { decodeAll, splitBuffer } from '../testing/split-buffer.ts';
import { createSegmentHeader } from './segment-header.ts';

const TWO_SECONDS = { mode: 'duration', segmentDurationSeconds: 2 } as const;

interface WaveSpec {
  readonly formatTag?: number;
  readonly sampleRateHz?: number;
  readonly channelCount?: number;
  readonly bitsPerSample?: number;
  readonly sampleCount: number;
  readonly container?: 'RIFF' | 'RF64';
  readonly claimedDataBytes?: number;
  readonly before?: Buffer;
  readonly after?: Buffer;
}

function createWave(spec: WaveSpec): Buffer {
  const { formatTag = 1, sampleRateHz = 8_000, channelCount = 1, bitsPerSample = 16 } = spec;
  const blockAlign = channelCount * Math.ceil(bitsPerSample / 8);
  const data = Buffer.from(
    Array.from({ length: spec.sampleCount * blockAlign }, (_, index) => (index * 7) % 253),
  );
  const format = Buffer.alloc(16);
  format.writeUInt16LE(formatTag, 0);
  format.writeUInt16LE(channelCount, 2);
  format.writeUInt32LE(sampleRateHz, 4);
  format.writeUInt32LE(sampleRateHz * blockAlign, 8);
  format.writeUInt16LE(blockAlign, 12);
  format.writeUInt16LE(bitsPerSample, 14);
  const dataHeader = chunk('data', Buffer.alloc(0));
  dataHeader.writeUInt32LE(spec.claimedDataBytes ?? data.length, 4);
  const riff = chunk(spec.container ?? 'RIFF', Buffer.from('WAVE'));
  const before = spec.before ?? Buffer.alloc(0);
  return Buffer.concat([
    riff,
    before,
    chunk('fmt ', format),
    dataHeader,
    data,
    spec.after ?? Buffer.alloc(0),
  ]);
}

function chunk(id: string, body: Buffer): Buffer {
  const header = Buffer.alloc(8);
  header.write(id, 'latin1');
  header.writeUInt32LE(body.length, 4);
  return Buffer.concat([header, body]);
}

function dataOf(wave: Buffer): Buffer {
  const at = wave.indexOf('data') + 4;
  return wave.subarray(at + 4, at + 4 + wave.readUInt32LE(at));
}

describe('wav copy', () => {
  for (const [codec, format, channelCount] of [
    ['pcm_s16le', 's16le', 2],
    ['pcm_s24le', 's32le', 2],
    ['pcm_f32le', 'f32le', 1],
    ['pcm_u8', 's16le', 1],
  ] as const) {
    test(`${codec}: joined segments decode to the same audio as the source`, async () => {
      const encode = ['-c:a', codec];
      const source = await createSource({
        seconds: 5.05,
        sampleRateHz: 44_100,
        channelCount,
        encode,
        extension: 'wav',
      });
      const [whole = Buffer.alloc(0)] = await decodeAll([source], 'wav', format);
      for (const cut of [TWO_SECONDS, { mode: 'fileSize', maxFileSizeBytes: 100_001 }] as const) {
        const { segments, files, result } = await splitBuffer('wav', source, cut);
        const decoded = await decodeAll(files, 'wav', format);
        assert.ok(Buffer.concat(decoded).equals(whole));
        assert.equal(result.sourceSampleCount, Math.round(5.05 * 44_100));
        assert.equal(result.sourceSizeBytes, source.length);
        for (const [index, file] of files.entries()) {
          assert.equal(file.readUInt32LE(4), file.length - 8);
          assert.equal(file.length, segments[index]?.sizeBytes);
          if (cut.mode === 'fileSize') assert.ok(file.length <= cut.maxFileSizeBytes);
        }
      }
    });
  }

  test('an exact multiple, and remainders around 0.1 s', async () => {
    const counts = async (sampleCount: number): Promise<number[]> => {
      const { segments } = await splitBuffer('wav', createWave({ sampleCount }), TWO_SECONDS);
      return segments.map((segment) => segment.sampleCount);
    };
    assert.deepEqual(await counts(48_000), [16_000, 16_000, 16_000]);
    assert.deepEqual(await counts(32_799), [16_000, 16_799]);
    assert.deepEqual(await counts(32_800), [16_000, 16_000, 800]);
    assert.deepEqual(await counts(1), [1]);
  });

  test('missing, wrong and 64-bit sizes', async () => {
    const sampleCount = 40_000;
    const honest = await splitBuffer('wav', createWave({ sampleCount }), TWO_SECONDS);
    const ds64 = Buffer.alloc(28);
    ds64.writeBigUInt64LE(BigInt(sampleCount * 2), 8);
    const after = chunk('LIST', Buffer.alloc(500, 0x41));
    for (const spec of [
      { claimedDataBytes: 0 },
      { claimedDataBytes: 0xffffffff },
      { claimedDataBytes: 0x7fffffff },
      { container: 'RF64', claimedDataBytes: 0xffffffff, before: chunk('ds64', ds64), after },
      { after },
    ] as const) {
      const { files } = await splitBuffer('wav', createWave({ sampleCount, ...spec }), TWO_SECONDS);
      assert.deepEqual(files, honest.files);
    }
  });

  test('an odd number of data bytes is padded and stays under the limit', async () => {
    const source = createWave({ sampleCount: 20_001, bitsPerSample: 24, channelCount: 1 });
    const { files, segments } = await splitBuffer('wav', source, {
      mode: 'fileSize',
      maxFileSizeBytes: 1_000,
    });
    assert.ok(Buffer.concat(files.map(dataOf)).equals(dataOf(source)));
    for (const file of files) assert.ok(file.length <= 1_000 && file.length % 2 === 0);
    assert.equal(segments.at(-1)?.startSample, 20_001 - (segments.at(-1)?.sampleCount ?? 0));
  });

  test('tags before the samples are repeated', async () => {
    const info = chunk('LIST', Buffer.from('INFOINAM\x06\0\0\0title\0', 'latin1'));
    const source = createWave({
      sampleCount: 40_000,
      before: Buffer.concat([chunk('bext', Buffer.alloc(602)), info]),
    });
    const { files } = await splitBuffer('wav', source, TWO_SECONDS);
    for (const file of files) {
      assert.ok(file.includes(info));
      assert.equal(file.includes('bext'), false);
    }
  });

  test('64-bit header beyond 4 GiB', () => {
    const head = {
      format: Buffer.alloc(16),
      tags: Buffer.alloc(0),
      isIntegerPcm: true,
      sampleRateHz: 48_000,
      blockAlignBytes: 4,
      dataBytes: Number.POSITIVE_INFINITY,
    };
    const plan = { head, mayNeed64Bit: true };
    const small = createSegmentHeader(plan, 1_000);
    assert.equal(small.toString('latin1', 0, 4), 'RIFF');
    assert.equal(small.toString('latin1', 12, 16), 'JUNK');
    const sampleCount = 2 ** 30;
    const large = createSegmentHeader(plan, sampleCount);
    assert.equal(large.length, small.length);
    assert.equal(large.toString('latin1', 0, 4), 'RF64');
    assert.equal(large.toString('latin1', 12, 16), 'ds64');
    assert.equal(large.readBigUInt64LE(20), BigInt(large.length - 8 + sampleCount * 4));
    assert.equal(large.readBigUInt64LE(28), BigInt(sampleCount * 4));
    assert.equal(large.readBigUInt64LE(36), BigInt(sampleCount));
    assert.equal(large.readUInt32LE(large.length - 4), 0xffffffff);
    assert.throws(() => createSegmentHeader({ head, mayNeed64Bit: false }, sampleCount), RangeError);
  });

  test('chunk boundaries make no difference', async () => {
    const source = createWave({ sampleCount: 30_000, bitsPerSample: 24 });
    await assertAnyChunks({ container: 'wav', source, cut: TWO_SECONDS });
  });

  test('an excessive number of tags is omitted', async () => {
    const tag = chunk('LIST', Buffer.from('INFO'));
    for (const [count, isKept] of [
      [1_000, true],
      [1_001, false],
    ] as const) {
      const before = Buffer.alloc(count * tag.length, tag);
      const { files } = await splitBuffer('wav', createWave({ sampleCount: 30_000, before }), TWO_SECONDS);
      assert.deepEqual(
        files.map((file) => file.includes('LIST')),
        files.map(() => isKept),
      );
    }
  });

  test('a source that cannot be copied is rejected', async () => {
    for (const spec of [
      { sampleCount: 9_000, formatTag: 2, bitsPerSample: 4 },
      { sampleCount: 9_000, formatTag: 7, bitsPerSample: 8 },
      { sampleCount: 9_000, sampleRateHz: 0 },
    ]) {
      await assert.rejects(splitBuffer('wav', createWave(spec), TWO_SECONDS), CopyNotPossibleError);
    }
    const isUnsupported = failsWith('UNSUPPORTED_MEDIA');
    for (const source of [
      Buffer.alloc(0),
      Buffer.alloc(100_000),
      createWave({ sampleCount: 0 }).subarray(0, 44),
    ]) {
      await assert.rejects(splitBuffer('wav', source, TWO_SECONDS), isUnsupported);
    }
  });

  test('limits: bytes, source length', async () => {
    const source = createWave({ sampleCount: 40_000 });
    const tiny = { mode: 'fileSize', maxFileSizeBytes: 45 } as const;
    await assert.rejects(splitBuffer('wav', source, tiny), failsWith('SEGMENT_LIMIT_UNREACHABLE'));
    await splitBuffer('wav', source, TWO_SECONDS, { maxSourceDurationMs: 5_000 });
    await assert.rejects(
      splitBuffer('wav', source, TWO_SECONDS, { maxSourceDurationMs: 4_999 }),
      failsWith('QUOTA_EXCEEDED'),
    );
  });
});
