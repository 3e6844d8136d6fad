import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { createCutRule } from '../../cuts/create-cut-rule.ts';
import { MediaError } from '../../media-error.ts';
import { failsWith } from '../../testing/fails-with.ts';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { assertAnyChunks } from '../testing/any-chunks.ts';
import { encodedForSuite } from '../testing/encoded-sources.ts';
import { createSource, runFfmpeg, type SourceSpec, withScratchDir } from '../testing/ffmpeg.ts';
import { decodeAll, inChunks, splitBuffer } from '../testing/split-buffer.ts';
import { readAudioTrack } from './audio-track.ts';
import { createBox, findBox } from './boxes.ts';
import { splitM4a } from './split-m4a.ts';

/** The decoder draws noise substitution at random: without it two decodes of a frame are identical. */
const AAC = ['-c:a', 'aac', '-aac_pns', '0', '-b:a', '96k', '-metadata', 'title=Sweep'];
const BASE = { sampleRateHz: 44_100, channelCount: 2, extension: 'm4a' } as const;
const SOURCES: Readonly<Record<string, SourceSpec>> = {
  'header first': { ...BASE, seconds: 7.3, encode: [...AAC, '-movflags', '+faststart'] },
  'header last': { ...BASE, seconds: 6, encode: AAC },
  'mono 16 kHz': { ...BASE, seconds: 6.05, sampleRateHz: 16_000, channelCount: 1, encode: AAC },
};
const TWO_SECONDS = { mode: 'duration', segmentDurationSeconds: 2 } as const;

describe('m4a copy', () => {
  const encoded = encodedForSuite(SOURCES);

  for (const [name, spec] of Object.entries(SOURCES)) {
    test(`${name}: joined segments decode to the same audio as the source`, async () => {
      const source = encoded(name);
      const bytesPerSample = 4 * spec.channelCount;
      const [whole = Buffer.alloc(0)] = await decodeAll([source], 'm4a', 'f32le');
      const fileSize = { mode: 'fileSize', maxFileSizeBytes: Math.ceil(source.length / 3) } as const;
      for (const cut of [TWO_SECONDS, fileSize]) {
        const { result, segments, files } = await splitBuffer('m4a', source, cut);
        assert.equal(result.sourceSampleCount, Math.round(spec.seconds * spec.sampleRateHz));
        assert.equal(result.sourceSizeBytes, source.length);
        const decoded = await decodeAll(files, 'm4a', 'f32le');
        // This decoder does not shorten the last frame: samples after the declared end are ignored here.
        const audible = decoded.map((pcm, index) =>
          pcm.subarray(0, (segments[index]?.sampleCount ?? 0) * bytesPerSample),
        );
        const joined = Buffer.concat(audible);
        assert.equal(joined.length, result.sourceSampleCount * bytesPerSample);
        assert.ok(joined.equals(whole.subarray(0, joined.length)), `${cut.mode}: decoded samples differ`);
        for (const [index, file] of files.entries()) {
          const track = readAudioTrack(findBox(file, 'moov') ?? Buffer.alloc(0));
          assert.equal(track.audibleEnd - track.audibleStart, segments[index]?.sampleCount);
          assert.ok(file.includes('Sweep'));
          if (cut.mode === 'fileSize') assert.ok(file.length <= cut.maxFileSizeBytes);
          else
            assert.ok(index === files.length - 1 || segments[index]?.sampleCount === 2 * spec.sampleRateHz);
        }
      }
    });
  }

  test('an exact multiple gives exactly that many segments, a short remainder joins the last', async () => {
    const exact = await splitBuffer('m4a', encoded('header last'), TWO_SECONDS);
    assert.deepEqual(
      exact.segments.map((segment) => [segment.startSample, segment.sampleCount]),
      [0, 1, 2].map((index) => [index * 88_200, 88_200]),
    );
    const remainder = await splitBuffer('m4a', encoded('mono 16 kHz'), TWO_SECONDS);
    assert.deepEqual(
      remainder.segments.map((segment) => segment.sampleCount),
      [32_000, 32_000, 32_800],
    );
  });

  test('a segment can be split again into the same samples', async () => {
    const { files, segments } = await splitBuffer('m4a', encoded('header first'), {
      mode: 'duration',
      segmentDurationSeconds: 4,
    });
    const again = await splitBuffer('m4a', files[0] ?? Buffer.alloc(0), TWO_SECONDS);
    assert.equal(again.result.sourceSampleCount, segments[0]?.sampleCount);
    assert.equal(again.segments.length, 2);
  });

  test('the gapless comment of iTunes replaces an edit list, and is not repeated', async () => {
    const source = encoded('header last');
    const withoutEdits = Buffer.from(source);
    withoutEdits.write('free', withoutEdits.indexOf('edts'), 'latin1');
    const plain = await splitBuffer('m4a', withoutEdits, TWO_SECONDS);
    assert.equal(plain.result.sourceSampleCount, 6 * 44_100 + 1024);

    const comment = ' 00000000 00000400 00000000 0000000000030D40 00000000 00000000';
    const item = createBox(
      '----',
      createBox('mean', Buffer.alloc(4), Buffer.from('com.apple.iTunes')),
      createBox('name', Buffer.alloc(4), Buffer.from('iTunSMPB')),
      createBox('data', Buffer.alloc(8), Buffer.from(comment)),
    );
    const handler = createBox('hdlr', Buffer.alloc(25));
    const tags = createBox('udta', createBox('meta', Buffer.alloc(4), handler, createBox('ilst', item)));
    const moovAt = withoutEdits.indexOf('moov') - 4;
    const track = createBox('trak', findBox(withoutEdits, 'moov', 'trak') ?? Buffer.alloc(0));
    const moov = createBox('moov', track, tags);
    const tagged = Buffer.concat([withoutEdits.subarray(0, moovAt), moov]);
    const { result, files } = await splitBuffer('m4a', tagged, TWO_SECONDS);
    assert.equal(result.sourceSampleCount, 200_000);
    for (const file of files) assert.equal(file.includes('iTunSMPB'), false);
  });

  test('chunk boundaries make no difference', async () => {
    for (const name of ['header first', 'header last']) {
      const source = encoded(name);
      await assertAnyChunks({ container: 'm4a', source, cut: TWO_SECONDS, numRuns: 8 });
    }
  });

  test('damage anywhere in the tables ends with a clear error or a split', async () => {
    const source = encoded('header first');
    const moovEnd = source.indexOf('mdat');
    const damage = fc.array(
      fc.tuple(fc.integer({ min: 0, max: moovEnd }), fc.integer({ min: 0, max: 255 })),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    await fc.assert(
      fc.asyncProperty(damage, async (changes) => {
        const damaged = Buffer.from(source);
        for (const [at, value] of changes) damaged[at] = value;
        await splitBuffer('m4a', damaged, TWO_SECONDS).catch((error: unknown) => {
          assert.ok(error instanceof MediaError || error instanceof CopyNotPossibleError, String(error));
        });
      }),
      { numRuns: 150 },
    );
  });

  test('frames whose durations differ by a rounding to milliseconds are copied', async () => {
    const adts = await runFfmpeg(
      ['-i', 'pipe:0', '-c', 'copy', '-f', 'matroska', 'pipe:1'],
      encoded('header first'),
    );
    const remuxed = await withScratchDir(async (dir) => {
      const path = join(dir, 'remuxed.mp4');
      await runFfmpeg(['-i', 'pipe:0', '-c', 'copy', '-bsf:a', 'aac_adtstoasc', path], adts);
      return readFile(path);
    });
    const times = findBox(remuxed, 'moov', 'trak', 'mdia', 'minf', 'stbl', 'stts');
    assert.ok((times?.readUInt32BE(4) ?? 0) > 2);
    const [whole = Buffer.alloc(0)] = await decodeAll([remuxed], 'mp4', 'f32le');
    const { result, segments, files } = await splitBuffer('m4a', remuxed, TWO_SECONDS);
    assert.equal(result.sourceSampleCount, whole.length / 8);
    const decoded = await decodeAll(files, 'm4a', 'f32le');
    const audible = decoded.map((pcm, index) => pcm.subarray(0, (segments[index]?.sampleCount ?? 0) * 8));
    assert.ok(Buffer.concat(audible).equals(whole));
  });

  test('frames whose stated start differs by more than a millisecond are declined', async () => {
    const source = Buffer.from(encoded('header first'));
    const at = source.indexOf('stts') + 12;
    // The first run ends with the frame before the last.
    source.writeUInt32BE(source.readUInt32BE(at) - 1, at);
    source.writeUInt32BE(2, at + 8);
    source.writeUInt32BE(1_024 - 50, at + 12);
    await assert.rejects(splitBuffer('m4a', source, TWO_SECONDS), CopyNotPossibleError);
  });

  test('boxes without an end before the movie header are not walked', async () => {
    const source = encoded('header last');
    const moovAt = source.indexOf('moov') - 4;
    const behind = (boxCount: number): Buffer => {
      const boxes = Buffer.concat(Array.from({ length: boxCount }, () => createBox('free')));
      return Buffer.concat([source.subarray(0, moovAt), boxes, source.subarray(moovAt)]);
    };
    const { files } = await splitBuffer('m4a', behind(900), TWO_SECONDS);
    assert.deepEqual(files, (await splitBuffer('m4a', source, TWO_SECONDS)).files);
    await assert.rejects(splitBuffer('m4a', behind(1_001), TWO_SECONDS), CopyNotPossibleError);
    const boxesFirst = behind(1_001).subarray(moovAt);
    await assert.rejects(splitBuffer('m4a', boxesFirst, TWO_SECONDS), CopyNotPossibleError);
  });

  test('a box of more bytes than a position can express ends the search', async () => {
    const mdat = Buffer.from('000000016d646174081519deffffff0e', 'hex');
    const source = Buffer.concat([mdat, Buffer.alloc(1_000)]);
    await assert.rejects(splitBuffer('m4a', source, TWO_SECONDS), failsWith('UNSUPPORTED_MEDIA'));
  });

  test('empty frames and tables too short for their counts are declined', async () => {
    const source = encoded('header first');
    const emptyFrame = Buffer.from(source);
    emptyFrame.writeUInt32BE(0, emptyFrame.indexOf('stsz') + 4 + 12);
    await assert.rejects(splitBuffer('m4a', emptyFrame, TWO_SECONDS), CopyNotPossibleError);
    const allEmpty = Buffer.from(source);
    const sizes = findBox(allEmpty, 'moov', 'trak', 'mdia', 'minf', 'stbl', 'stsz') ?? Buffer.alloc(0);
    sizes.fill(0, 12);
    await assert.rejects(splitBuffer('m4a', allEmpty, TWO_SECONDS), CopyNotPossibleError);
    for (const type of ['stsc', 'stco']) {
      const short = Buffer.from(source);
      const bodyBytes = 4;
      short.writeUInt32BE(8 + bodyBytes, short.indexOf(type) - 4);
      await assert.rejects(splitBuffer('m4a', short, TWO_SECONDS), CopyNotPossibleError, type);
    }
  });

  test('a source that the caller keeps is read again from there, and not written elsewhere', async () => {
    const source = encoded('header last');
    const expected = await splitBuffer('m4a', source, TWO_SECONDS);
    await withScratchDir(async (dir) => {
      const path = join(dir, 'kept');
      await writeFile(path, source);
      const outputDir = join(dir, 'out');
      await mkdir(outputDir);
      const seen = new Set<string>();
      await splitM4a(inChunks(source), {
        cut: createCutRule(TWO_SECONDS),
        outputDir,
        signal: new AbortController().signal,
        keptSource: async () => ({ path, sizeBytes: source.length }),
        onSegment: async () => {
          for (const name of await readdir(outputDir)) seen.add(name);
        },
        onBytes: () => undefined,
      });
      const names = expected.segments.map((segment) => basename(segment.path));
      assert.deepEqual([...seen].sort(), names);
      const files = await Promise.all(names.map((name) => readFile(join(outputDir, name))));
      assert.deepEqual(files, expected.files);
      assert.ok((await readFile(path)).equals(source));
    });
  });

  test('truncated, fragmented and foreign sources are rejected', async () => {
    const first = encoded('header first');
    await assert.rejects(
      splitBuffer('m4a', first.subarray(0, first.length - 100), TWO_SECONDS),
      CopyNotPossibleError,
    );
    const fragmented = await createSource({
      ...BASE,
      seconds: 3,
      encode: [...AAC, '-movflags', '+frag_keyframe+empty_moov'],
    });
    await assert.rejects(splitBuffer('m4a', fragmented, TWO_SECONDS), CopyNotPossibleError);
    const alac = await createSource({ ...BASE, seconds: 3, encode: ['-c:a', 'alac'] });
    await assert.rejects(splitBuffer('m4a', alac, TWO_SECONDS), CopyNotPossibleError);
    const last = encoded('header last');
    const foreign = [
      Buffer.alloc(0),
      Buffer.alloc(500_000),
      Buffer.alloc(500_000, 0x41),
      last.subarray(0, 50_000),
    ];
    for (const source of foreign) {
      await assert.rejects(splitBuffer('m4a', source, TWO_SECONDS), failsWith('UNSUPPORTED_MEDIA'));
    }
  });

  test('limits: bytes, source length', async () => {
    const source = encoded('header first');
    await assert.rejects(
      splitBuffer('m4a', source, { mode: 'fileSize', maxFileSizeBytes: 1_000 }),
      failsWith('SEGMENT_LIMIT_UNREACHABLE'),
    );
    await splitBuffer('m4a', source, TWO_SECONDS, { maxSourceDurationMs: 7_300 });
    await assert.rejects(
      splitBuffer('m4a', source, TWO_SECONDS, { maxSourceDurationMs: 7_299 }),
      failsWith('QUOTA_EXCEEDED'),
    );
  });
});
