import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { failsWith } from '../../testing/fails-with.ts';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { assertAnyChunks } from '../testing/any-chunks.ts';
import { encodedForSuite } from '../testing/encoded-sources.ts';
import { createSource, type SourceSpec } from '../testing/ffmpeg.ts';
import { decodeAll, splitBuffer } from '../testing/split-buffer.ts';
import { formatPage, LAST, parsePages, patchPage } from './testing/pages.ts';

const VORBIS = ['-c:a', 'libvorbis', '-q:a', '4', '-metadata', 'title=Sweep'];
const SOURCES: Readonly<Record<string, SourceSpec>> = {
  'stereo 44.1 kHz': {
    seconds: 7.3,
    sampleRateHz: 44_100,
    channelCount: 2,
    encode: VORBIS,
    extension: 'ogg',
  },
  'mono 48 kHz': { seconds: 6, sampleRateHz: 48_000, channelCount: 1, encode: VORBIS, extension: 'ogg' },
  'mono 16 kHz': { seconds: 6.05, sampleRateHz: 16_000, channelCount: 1, encode: VORBIS, extension: 'ogg' },
};
const TWO_SECONDS = { mode: 'duration', segmentDurationSeconds: 2 } as const;
const HALF_LONGEST_STEP = 512;

describe('ogg vorbis copy', () => {
  const encoded = encodedForSuite(SOURCES);

  for (const [name, spec] of Object.entries(SOURCES)) {
    test(`${name}: joined segments decode to the same audio as the source`, async () => {
      const source = encoded(name);
      const [whole = Buffer.alloc(0)] = await decodeAll([source], 'ogg', 'f32le');
      const bytesPerSample = 4 * spec.channelCount;
      const fileSize = { mode: 'fileSize', maxFileSizeBytes: Math.ceil(source.length / 2.5) } as const;
      for (const cut of [TWO_SECONDS, fileSize]) {
        const { result, segments, files } = await splitBuffer('ogg-vorbis', source, cut);
        const decoded = await decodeAll(files, 'ogg', 'f32le');
        assert.equal(result.sourceSampleCount, Math.round(spec.seconds * spec.sampleRateHz));
        assert.equal(result.sourceSizeBytes, source.length);
        assert.equal(segments.length > 1, true);
        assert.deepEqual(
          decoded.slice(0, -1).map((pcm) => pcm.length / bytesPerSample),
          segments.slice(0, -1).map((segment) => segment.sampleCount),
        );
        // This decoder does not trim the last page: both sides include the samples after the declared end.
        assert.ok(Buffer.concat(decoded).equals(whole), `${cut.mode}: decoded samples differ`);
        assert.equal(lastGranule(files.at(-1)), segments.at(-1)?.sampleCount);
        for (const [index, file] of files.entries()) {
          assert.ok(file.includes('Sweep'));
          if (cut.mode === 'fileSize') assert.ok(file.length <= cut.maxFileSizeBytes);
          else {
            const boundary = index * 2 * spec.sampleRateHz;
            assert.ok(Math.abs((segments[index]?.startSample ?? 0) - boundary) <= HALF_LONGEST_STEP);
          }
        }
      }
    });
  }

  test('an exact multiple gives exactly that many segments, a short remainder joins the last', async () => {
    assert.equal((await splitBuffer('ogg-vorbis', encoded('mono 48 kHz'), TWO_SECONDS)).segments.length, 3);
    assert.equal((await splitBuffer('ogg-vorbis', encoded('mono 16 kHz'), TWO_SECONDS)).segments.length, 3);
  });

  test('a segment can be split again, and a comment larger than the limit is omitted', async () => {
    const { files, segments } = await splitBuffer('ogg-vorbis', encoded('stereo 44.1 kHz'), {
      mode: 'duration',
      segmentDurationSeconds: 5,
    });
    const again = await splitBuffer('ogg-vorbis', files[1] ?? Buffer.alloc(0), {
      mode: 'duration',
      segmentDurationSeconds: 1,
    });
    assert.equal(again.result.sourceSampleCount, segments[1]?.sampleCount);
    const title = `title=${'x'.repeat(20_000)}`;
    const encode = ['-c:a', 'libvorbis', '-metadata', title];
    const source = await createSource({
      seconds: 3,
      sampleRateHz: 44_100,
      channelCount: 2,
      encode,
      extension: 'ogg',
    });
    const limited = await splitBuffer('ogg-vorbis', source, { mode: 'fileSize', maxFileSizeBytes: 30_000 });
    assert.equal(
      limited.files.some((file) => file.includes('xxxx')),
      false,
    );
    const unlimited = await splitBuffer('ogg-vorbis', source, TWO_SECONDS);
    assert.ok(unlimited.files.every((file) => file.includes('xxxx')));
    const [whole = Buffer.alloc(0)] = await decodeAll([source], 'ogg', 'f32le');
    for (const run of [limited, unlimited]) {
      assert.ok(Buffer.concat(await decodeAll(run.files, 'ogg', 'f32le')).equals(whole));
    }
  });

  test('chunk boundaries make no difference', async () => {
    const source = encoded('mono 16 kHz');
    await assertAnyChunks({ container: 'ogg-vorbis', source, cut: TWO_SECONDS, maxChunkBytes: 3_000 });
  });

  test('a truncated source keeps its complete pages', async () => {
    const source = encoded('stereo 44.1 kHz');
    const [whole = Buffer.alloc(0)] = await decodeAll([source], 'ogg', 'f32le');
    const half = await splitBuffer(
      'ogg-vorbis',
      source.subarray(0, Math.floor(source.length / 2)),
      TWO_SECONDS,
    );
    const joined = Buffer.concat(await decodeAll(half.files, 'ogg', 'f32le'));
    assert.equal(joined.length, half.result.sourceSampleCount * 8);
    assert.ok(joined.length > 0.3 * whole.length);
    assert.ok(joined.equals(whole.subarray(0, joined.length)));
  });

  test('chained, damaged and foreign sources are rejected', async () => {
    const source = encoded('mono 48 kHz');
    const chained = Buffer.concat([source, encoded('mono 16 kHz')]);
    await assert.rejects(splitBuffer('ogg-vorbis', chained, TWO_SECONDS), CopyNotPossibleError);
    const damaged = Buffer.from(source);
    const middle = Math.floor(source.length / 2);
    damaged.writeUInt8(damaged.readUInt8(middle) ^ 1, middle);
    await assert.rejects(splitBuffer('ogg-vorbis', damaged, TWO_SECONDS), CopyNotPossibleError);
    const opus = await createSource({
      seconds: 2,
      sampleRateHz: 48_000,
      channelCount: 1,
      encode: ['-c:a', 'libopus'],
      extension: 'ogg',
    });
    for (const foreign of [Buffer.alloc(0), Buffer.alloc(500_000), source.subarray(0, 500), opus]) {
      await assert.rejects(splitBuffer('ogg-vorbis', foreign, TWO_SECONDS), failsWith('UNSUPPORTED_MEDIA'));
    }
  });

  test('a stream that continues after the page marked as its last is rejected', async () => {
    const pages = parsePages(encoded('mono 48 kHz'));
    const marked = (flags: number): Buffer =>
      Buffer.concat(pages.map((page, index) => formatPage(index === 4 ? { ...page, flags } : page)));
    await splitBuffer('ogg-vorbis', marked(0), TWO_SECONDS);
    await assert.rejects(splitBuffer('ogg-vorbis', marked(LAST), TWO_SECONDS), CopyNotPossibleError);
  });

  test('headers that no decoder accepts are not repeated', async () => {
    const source = encoded('stereo 44.1 kHz');
    const impossible = [patchPage(source, 0, 11, [0]), patchPage(source, 0, 12, [0, 0, 0, 0])];
    for (const stream of impossible) {
      await assert.rejects(splitBuffer('ogg-vorbis', stream, TWO_SECONDS), failsWith('UNSUPPORTED_MEDIA'));
    }
    const codebookAt = pageBody(source, 1).indexOf('BCV', 0, 'latin1');
    const undecodable = [
      patchPage(source, 0, 11, [255]),
      patchPage(source, 0, 12, [255, 255, 255, 255]),
      patchPage(source, 1, codebookAt + 3, [255, 255, 255, 255, 255]),
    ];
    for (const stream of undecodable) {
      await assert.rejects(splitBuffer('ogg-vorbis', stream, TWO_SECONDS), CopyNotPossibleError);
    }
  });

  test('streams of other encoders and of more channels are copied', async () => {
    const encodings = [
      ['-c:a', 'vorbis', '-strict', '-2'],
      ['-c:a', 'libvorbis', '-ac', '6'],
      ['-c:a', 'libvorbis', '-ac', '8', '-q:a', '9'],
    ];
    for (const encode of encodings) {
      const spec = { seconds: 3, sampleRateHz: 44_100, channelCount: 2, extension: 'ogg' } as const;
      const source = await createSource({ ...spec, encode });
      const { segments } = await splitBuffer('ogg-vorbis', source, TWO_SECONDS);
      assert.equal(segments.length, 2, encode.join(' '));
    }
  });

  test('limits: bytes, source length', async () => {
    const source = encoded('stereo 44.1 kHz');
    await assert.rejects(
      splitBuffer('ogg-vorbis', source, { mode: 'fileSize', maxFileSizeBytes: 4_000 }),
      failsWith('SEGMENT_LIMIT_UNREACHABLE'),
    );
    await splitBuffer('ogg-vorbis', source, TWO_SECONDS, { maxSourceDurationMs: 7_300 });
    await assert.rejects(
      splitBuffer('ogg-vorbis', source, TWO_SECONDS, { maxSourceDurationMs: 7_299 }),
      failsWith('QUOTA_EXCEEDED'),
    );
  });
});

function pageBody(file: Buffer, pageIndex: number): Buffer {
  return parsePages(file)[pageIndex]?.body ?? Buffer.alloc(0);
}

/** The granule position of the last page, which ends the stream. */
function lastGranule(file: Buffer = Buffer.alloc(0)): number {
  return Number(file.readBigInt64LE(file.lastIndexOf('OggS') + 6));
}
