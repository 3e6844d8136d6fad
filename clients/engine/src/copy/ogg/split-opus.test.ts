import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../testing/fails-with.ts';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { assertAnyChunks } from '../testing/any-chunks.ts';
import { encodedForSuite } from '../testing/encoded-sources.ts';
import { createSource, type SourceSpec } from '../testing/ffmpeg.ts';
import { decodeAll, splitBuffer } from '../testing/split-buffer.ts';
import { patchPage } from './testing/pages.ts';

const OPUS = ['-c:a', 'libopus', '-b:a', '64k', '-metadata', 'title=Sweep'];
const BASE = { sampleRateHz: 48_000, extension: 'opus' } as const;
const SOURCES: Readonly<Record<string, SourceSpec>> = {
  'stereo 20 ms': { ...BASE, seconds: 7.3, channelCount: 2, encode: OPUS },
  'mono 60 ms': { ...BASE, seconds: 6, channelCount: 1, encode: [...OPUS, '-frame_duration', '60'] },
  'mono 2.5 ms': { ...BASE, seconds: 4.05, channelCount: 1, encode: [...OPUS, '-frame_duration', '2.5'] },
};
const TWO_SECONDS = { mode: 'duration', segmentDurationSeconds: 2 } as const;

describe('ogg opus copy', () => {
  const encoded = encodedForSuite(SOURCES);

  for (const [name, spec] of Object.entries(SOURCES)) {
    test(`${name}: joined segments decode to the same number of samples, almost all identical`, async () => {
      const source = encoded(name);
      const [whole = Buffer.alloc(0)] = await decodeAll([source], 'opus', 's16le');
      const bytesPerSample = 2 * spec.channelCount;
      const fileSize = { mode: 'fileSize', maxFileSizeBytes: Math.ceil(source.length / 2.5) } as const;
      for (const cut of [TWO_SECONDS, fileSize]) {
        const { result, segments, files } = await splitBuffer('ogg-opus', source, cut);
        assert.equal(result.sourceSampleCount, Math.round(spec.seconds * 48_000));
        assert.equal(result.sourceSizeBytes, source.length);
        const decoded = await decodeAll(files, 'opus', 's16le');
        assert.deepEqual(
          decoded.map((pcm) => pcm.length / bytesPerSample),
          segments.map((segment) => segment.sampleCount),
        );
        assert.ok(signalToNoiseDb(whole, Buffer.concat(decoded)) > 70);
        for (const [index, file] of files.entries()) {
          assert.ok(file.includes('Sweep'));
          if (cut.mode === 'fileSize') assert.ok(file.length <= cut.maxFileSizeBytes);
          else assert.equal(segments[index]?.startSample, index * 96_000);
        }
      }
    });
  }

  test('an exact multiple gives exactly that many segments, a short remainder joins the last', async () => {
    assert.equal((await splitBuffer('ogg-opus', encoded('mono 60 ms'), TWO_SECONDS)).segments.length, 3);
    assert.equal((await splitBuffer('ogg-opus', encoded('mono 2.5 ms'), TWO_SECONDS)).segments.length, 2);
  });

  test('a segment can be split again', async () => {
    const { files, segments } = await splitBuffer('ogg-opus', encoded('stereo 20 ms'), TWO_SECONDS);
    const again = await splitBuffer('ogg-opus', files[1] ?? Buffer.alloc(0), {
      ...TWO_SECONDS,
      segmentDurationSeconds: 1,
    });
    assert.equal(again.result.sourceSampleCount, segments[1]?.sampleCount);
    assert.equal(again.segments.length, 2);
  });

  test('chunk boundaries make no difference', async () => {
    const source = encoded('mono 60 ms');
    await assertAnyChunks({
      container: 'ogg-opus',
      source,
      cut: TWO_SECONDS,
      maxChunkBytes: 3_000,
      numRuns: 10,
    });
  });

  test('an identification header that no decoder accepts is not repeated', async () => {
    const source = encoded('stereo 20 ms');
    const [channels, family] = [9, 18];
    for (const [at, bytes] of [
      [channels, [0]],
      [channels, [3]],
      [family, [1]],
    ] as const) {
      const stream = patchPage(source, 0, at, bytes);
      await assert.rejects(splitBuffer('ogg-opus', stream, TWO_SECONDS), failsWith('UNSUPPORTED_MEDIA'));
    }
    const nextVersion = patchPage(source, 0, 8, [16]);
    await assert.rejects(splitBuffer('ogg-opus', nextVersion, TWO_SECONDS), CopyNotPossibleError);

    const surround = await createSource({
      ...BASE,
      seconds: 3,
      channelCount: 2,
      encode: ['-c:a', 'libopus', '-ac', '6'],
    });
    assert.equal((await splitBuffer('ogg-opus', surround, TWO_SECONDS)).segments.length, 2);
    const [streams, mapping] = [19, 21];
    for (const [at, bytes] of [
      [channels, [9]],
      [streams, [0]],
      [streams, [1, 2]],
      [mapping, [200]],
    ] as const) {
      const stream = patchPage(surround, 0, at, bytes);
      await assert.rejects(splitBuffer('ogg-opus', stream, TWO_SECONDS), failsWith('UNSUPPORTED_MEDIA'));
    }
  });

  test('truncated, chained and foreign sources, and limits', async () => {
    const source = encoded('stereo 20 ms');
    const half = await splitBuffer(
      'ogg-opus',
      source.subarray(0, Math.floor(source.length / 2)),
      TWO_SECONDS,
    );
    const decoded = await decodeAll(half.files, 'opus', 's16le');
    assert.equal(Buffer.concat(decoded).length, half.result.sourceSampleCount * 4);
    const chained = Buffer.concat([source, encoded('mono 60 ms')]);
    await assert.rejects(splitBuffer('ogg-opus', chained, TWO_SECONDS), CopyNotPossibleError);
    for (const foreign of [Buffer.alloc(0), Buffer.alloc(500_000), source.subarray(0, 200)]) {
      await assert.rejects(splitBuffer('ogg-opus', foreign, TWO_SECONDS), failsWith('UNSUPPORTED_MEDIA'));
    }
    const tiny = { mode: 'fileSize', maxFileSizeBytes: 1_000 } as const;
    await assert.rejects(splitBuffer('ogg-opus', source, tiny), failsWith('SEGMENT_LIMIT_UNREACHABLE'));
    await splitBuffer('ogg-opus', source, TWO_SECONDS, { maxSourceDurationMs: 7_300 });
    await assert.rejects(
      splitBuffer('ogg-opus', source, TWO_SECONDS, { maxSourceDurationMs: 7_299 }),
      failsWith('QUOTA_EXCEEDED'),
    );
  });
});

function signalToNoiseDb(expected: Buffer, actual: Buffer): number {
  assert.equal(actual.length, expected.length);
  let signal = 0;
  let noise = 0;
  for (let at = 0; at < expected.length; at += 2) {
    const sample = expected.readInt16LE(at);
    signal += sample ** 2;
    noise += (sample - actual.readInt16LE(at)) ** 2;
  }
  return noise === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10(signal / noise);
}
