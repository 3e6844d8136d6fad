import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import fc from 'fast-check';
import { MediaError } from '../../media.ts';
import { CopyNotPossibleError } from '../copy-splitter.ts';
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

  test('joined segments are the source; each decodes alike behind its first frame', async () => {
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
    const expected = await splitBuffer('adts', source, TWO_SECONDS);
    const sizes = fc.array(fc.integer({ min: 1, max: 3_000 }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(sizes, async (chunkSizes) => {
        const chunkBytes = (index: number): number => chunkSizes[index % chunkSizes.length] ?? 1;
        const { files } = await splitBuffer('adts', source, TWO_SECONDS, { chunkBytes });
        assert.deepEqual(files, expected.files);
      }),
      { numRuns: 10 },
    );
  });

  test('tags and a frame cut short are left out', async () => {
    const id3v2 = Buffer.concat([Buffer.from('ID3\x03\0\0\0\0\x01\0', 'latin1'), Buffer.alloc(128)]);
    const id3v1 = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)]);
    const { files } = await splitBuffer('adts', Buffer.concat([id3v2, source, id3v1]), TWO_SECONDS);
    assert.ok(Buffer.concat(files).equals(source));
    const truncated = await splitBuffer('adts', source.subarray(0, -10), TWO_SECONDS);
    const kept = Buffer.concat(truncated.files);
    assert.ok(source.length - kept.length < 2_000 && kept.equals(source.subarray(0, kept.length)));
  });

  test('a change of rate, foreign sources and limits', async () => {
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
      await assert.rejects(splitBuffer('adts', foreign, TWO_SECONDS), isFailure('UNSUPPORTED_MEDIA'));
    }
    const tiny = { mode: 'fileSize', maxFileSizeBytes: 100 } as const;
    await assert.rejects(splitBuffer('adts', source, tiny), isFailure('SEGMENT_LIMIT_UNREACHABLE'));
    await assert.rejects(
      splitBuffer('adts', source, TWO_SECONDS, { maxSourceDurationMs: 7_299 }),
      isFailure('QUOTA_EXCEEDED'),
    );
  });
});

function isFailure(failure: MediaError['failure']): (error: unknown) => boolean {
  return (error) => error instanceof MediaError && error.failure === failure;
}
