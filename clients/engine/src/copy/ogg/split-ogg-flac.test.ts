import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { MediaError } from '../../media-error.ts';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { assertAnyChunks } from '../testing/any-chunks.ts';
import { createSource, runFfmpeg } from '../testing/ffmpeg.ts';
import { decodeAll, splitBuffer } from '../testing/split-buffer.ts';
import { formatPage, parsePages, patchPage } from './testing/pages.ts';

const TWO_SECONDS = { mode: 'duration', segmentDurationSeconds: 2 } as const;
const FLAC = ['-c:a', 'flac', '-sample_fmt', 's16', '-metadata', 'title=Sweep'];

let flac: Buffer;
let ogg: Buffer;
before(async () => {
  flac = await createSource({
    seconds: 5.3,
    sampleRateHz: 44_100,
    channelCount: 2,
    encode: FLAC,
    extension: 'flac',
  });
  ogg = await runFfmpeg(['-i', 'pipe:0', '-c', 'copy', '-f', 'ogg', 'pipe:1'], flac);
});

test('the segments equal those of the same frames in their own container', async () => {
  const [whole = Buffer.alloc(0)] = await decodeAll([ogg], 'ogg', 's16le');
  const fileSize = { mode: 'fileSize', maxFileSizeBytes: Math.ceil(flac.length / 2.5) } as const;
  for (const cut of [TWO_SECONDS, fileSize]) {
    const { result, segments, files } = await splitBuffer('ogg-flac', ogg, cut);
    const expected = await splitBuffer('flac', flac, cut);
    assert.equal(result.sourceSizeBytes, ogg.length);
    assert.equal(result.sourceSampleCount, whole.length / 4);
    assert.deepEqual(
      segments.map(({ extension, contentType }) => [extension, contentType]),
      segments.map(() => ['flac', 'audio/flac']),
    );
    assert.ok(Buffer.concat(await decodeAll(files, 'flac', 's16le')).equals(whole));
    for (const [index, file] of files.entries()) assert.ok(file.includes(`Sweep (${index + 1})`));
    if (cut.mode === 'fileSize') continue;
    assert.deepEqual(
      segments.map((segment) => segment.sampleCount),
      expected.segments.map((segment) => segment.sampleCount),
    );
  }
});

test('chunk boundaries make no difference', async () => {
  await assertAnyChunks({
    container: 'ogg-flac',
    source: ogg,
    cut: TWO_SECONDS,
    maxChunkBytes: 30_000,
    numRuns: 8,
  });
});

test('a source that cannot be copied correctly is declined', async () => {
  const pages = parsePages(ogg);
  const withoutPage = (index: number): Buffer => Buffer.concat(pages.toSpliced(index, 1).map(formatPage));
  const declined: Readonly<Record<string, Buffer>> = {
    'another version': patchPage(ogg, 0, 5, [2]),
    'no STREAMINFO': patchPage(ogg, 0, 13, [4]),
    'STREAMINFO of another length': patchPage(ogg, 0, 14, [0, 0, 1]),
    'a lost page': withoutPage(4),
    'a frame that is none': patchPage(ogg, 3, 0, [0xff, 0xf8, 0, 0]),
  };
  for (const [name, source] of Object.entries(declined)) {
    await assert.rejects(splitBuffer('ogg-flac', source, TWO_SECONDS), (error) => {
      assert.ok(error instanceof CopyNotPossibleError || error instanceof MediaError, `${name}: ${error}`);
      return true;
    });
  }
});
