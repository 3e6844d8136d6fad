import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { failsWith } from '../../testing/fails-with.ts';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { assertAnyChunks } from '../testing/any-chunks.ts';
import { createSource, type SourceSpec } from '../testing/ffmpeg.ts';
import { decodeAll, splitBuffer } from '../testing/split-buffer.ts';

const AAC = ['-c:a', 'aac', '-aac_pns', '0', '-f', 'adts'];
const SPEC: SourceSpec = {
  seconds: 7.3,
  sampleRateHz: 44_100,
  channelCount: 2,
  encode: AAC,
  extension: 'aac',
};
const TWO_SECONDS = { mode: 'duration', segmentDurationSeconds: 2 } as const;
const FRAME_BYTES = 1024 * 8;

describe('adts copy', () => {
  let source: Buffer = Buffer.alloc(0);
  let other: Buffer = Buffer.alloc(0);

  before(async () => {
    source = await createSource(SPEC);
    other = await createSource({ ...SPEC, sampleRateHz: 48_000 });
  });

  test('joined segments equal the source; each decodes the same after its first frame', async () => {
    const [whole = Buffer.alloc(0)] = await decodeAll([source], 'aac', 'f32le');
    for (const cut of [TWO_SECONDS, { mode: 'fileSize', maxFileSizeBytes: 40_000 }] as const) {
      const { files, segments, result } = await splitBuffer('adts', source, cut);
      assert.ok(Buffer.concat(files).equals(source));
      assert.equal(result.sourceSampleCount, whole.length / 8);
      assert.equal(result.sourceSizeBytes, source.length);
      const decoded = await decodeAll(files, 'aac', 'f32le', ['-f', 'aac']);
      for (const [index, segment] of segments.entries()) {
        const start = segment.startSample * 8;
        const expected = whole.subarray(start, start + segment.sampleCount * 8);
        assert.equal(decoded[index]?.length, expected.length);
        assert.ok(decoded[index]?.subarray(FRAME_BYTES).equals(expected.subarray(FRAME_BYTES)));
        if (cut.mode === 'fileSize') assert.ok(segment.sizeBytes <= cut.maxFileSizeBytes);
        else assert.ok(Math.abs(segment.startSample - index * 88_200) <= 512);
      }
    }
  });

  test('a short remainder joins the last segment', async () => {
    const { segments, result } = await splitBuffer('adts', source, {
      mode: 'duration',
      segmentDurationSeconds: 7.25,
    });
    assert.deepEqual(
      segments.map((segment) => segment.sampleCount),
      [result.sourceSampleCount],
    );
  });

  test('chunk boundaries make no difference', async () => {
    await assertAnyChunks({ container: 'adts', source, cut: TWO_SECONDS, maxChunkBytes: 3_000, numRuns: 10 });
  });

  test('tags and a truncated frame are omitted', async () => {
    const id3v2 = Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\x01\0', 'latin1'), Buffer.alloc(128)]);
    const id3v1 = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)]);
    const { files } = await splitBuffer('adts', Buffer.concat([id3v2, source, id3v1]), TWO_SECONDS);
    assert.ok(Buffer.concat(files).equals(source));
    const truncated = await splitBuffer('adts', source.subarray(0, -10), TWO_SECONDS);
    const kept = Buffer.concat(truncated.files);
    assert.ok(source.length - kept.length < 2_000 && kept.equals(source.subarray(0, kept.length)));
  });

  test('frames of several blocks, and channels that no header states, are declined', async () => {
    const severalBlocks = changeHeaders(source, (header) => header.writeUInt8(header.readUInt8(6) | 1, 6));
    const noChannels = changeHeaders(source, (header) => {
      header.writeUInt8(header.readUInt8(2) & 0xfe, 2);
      header.writeUInt8(header.readUInt8(3) & 0x3f, 3);
    });
    for (const changed of [severalBlocks, noChannels]) {
      await assert.rejects(splitBuffer('adts', changed, TWO_SECONDS), CopyNotPossibleError);
    }
  });

  test('frames too short for any sound are not frames, with and without a checksum', async () => {
    const short = [
      [0xf1, 10],
      [0xf0, 12],
    ] as const;
    for (const [secondByte, sizeBytes] of short) {
      const header = Buffer.of(0xff, secondByte, 0x50, 0x80, sizeBytes >> 3, (sizeBytes << 5) | 0x1f, 0xfc);
      const frame = Buffer.concat([header, Buffer.alloc(sizeBytes - header.length)]);
      const headers = Buffer.concat(Array.from({ length: 500 }, () => frame));
      await assert.rejects(splitBuffer('adts', headers, TWO_SECONDS), failsWith('UNSUPPORTED_MEDIA'));
      const behind = await splitBuffer('adts', Buffer.concat([source, frame]), TWO_SECONDS);
      assert.ok(Buffer.concat(behind.files).equals(source));
    }
  });

  test('a change of rate, foreign sources and limits are handled', async () => {
    await assert.rejects(
      splitBuffer('adts', Buffer.concat([source, other]), TWO_SECONDS),
      CopyNotPossibleError,
    );
    for (const foreign of [
      Buffer.alloc(0),
      Buffer.alloc(500_000),
      Buffer.alloc(500_000, 0xff),
      source.subarray(0, 50),
    ]) {
      await assert.rejects(splitBuffer('adts', foreign, TWO_SECONDS), failsWith('UNSUPPORTED_MEDIA'));
    }
    const tiny = { mode: 'fileSize', maxFileSizeBytes: 100 } as const;
    await assert.rejects(splitBuffer('adts', source, tiny), failsWith('SEGMENT_LIMIT_UNREACHABLE'));
    await assert.rejects(
      splitBuffer('adts', source, TWO_SECONDS, { maxSourceDurationMs: 7_299 }),
      failsWith('QUOTA_EXCEEDED'),
    );
  });
});

/** Returns the stream with `change` applied to each frame's header. */
function changeHeaders(stream: Buffer, change: (header: Buffer) => void): Buffer {
  const changed = Buffer.from(stream);
  for (let at = 0; at < changed.length; at += (changed.readUIntBE(at + 3, 3) >> 5) & 0x1fff) {
    change(changed.subarray(at, at + 7));
  }
  return changed;
}
