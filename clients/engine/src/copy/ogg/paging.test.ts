/** The page layout of a source must not affect what its segments decode to. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { Cut } from '../../cuts/cut.ts';
import { CopyNotPossibleError } from '../copy-splitter.ts';
import { createSource, type SourceSpec } from '../testing/ffmpeg.ts';
import { decodeAll, splitBuffer } from '../testing/split-buffer.ts';
import {
  CONTINUED,
  FIRST,
  formatPage,
  LAST,
  type Page,
  parsePages,
  type Repaging,
  repage,
} from './testing/pages.ts';

const TWO_SECONDS = { mode: 'duration', segmentDurationSeconds: 2 } as const;
const BASE = { seconds: 7.3, sampleRateHz: 48_000, channelCount: 2 } as const;

interface Codec {
  readonly container: 'ogg-vorbis' | 'ogg-opus';
  readonly headerPacketCount: number;
  readonly spec: SourceSpec;
}

const CODECS: readonly Codec[] = [
  {
    container: 'ogg-vorbis',
    headerPacketCount: 3,
    spec: { ...BASE, encode: ['-c:a', 'libvorbis'], extension: 'ogg' },
  },
  {
    container: 'ogg-opus',
    headerPacketCount: 2,
    spec: { ...BASE, encode: ['-c:a', 'libopus', '-b:a', '160k'], extension: 'opus' },
  },
];

const PAGINGS: Readonly<Record<string, Repaging>> = {
  'packets that run over several pages': { lacingPerPage: 1 },
  'packets that share most pages': { lacingPerPage: 7 },
  'full pages': { lacingPerPage: 255 },
  'positions that begin late': { lacingPerPage: 60, shiftSamples: 12_345_678_901 },
};

function withPages({ spec }: Codec, microseconds: number): Promise<Buffer> {
  return createSource({ ...spec, encode: [...spec.encode, '-page_duration', String(microseconds)] });
}

for (const codec of CODECS) {
  const { container, headerPacketCount, spec } = codec;

  describe(`pages of ${container}`, () => {
    let pagePerPacket: Buffer = Buffer.alloc(0);

    before(async () => {
      pagePerPacket = await withPages(codec, 1);
    });

    async function decodedSegments(source: Buffer, cut: Cut): Promise<Buffer[]> {
      const { result, files } = await splitBuffer(container, source, cut);
      assert.equal(result.sourceSampleCount, spec.seconds * spec.sampleRateHz);
      assert.ok(files.length > 2);
      for (const file of files) {
        assertStream(parsePages(file), headerPacketCount);
        if (cut.mode === 'fileSize') assert.ok(file.length <= cut.maxFileSizeBytes);
      }
      return decodeAll(files, spec.extension, 'f32le');
    }

    for (const [name, repaging] of Object.entries(PAGINGS)) {
      test(name, async () => {
        const repaged = repage(pagePerPacket, headerPacketCount, repaging);
        assert.deepEqual(
          await decodedSegments(repaged, TWO_SECONDS),
          await decodedSegments(pagePerPacket, TWO_SECONDS),
        );
        const cut = { mode: 'fileSize', maxFileSizeBytes: Math.ceil(pagePerPacket.length / 3.3) } as const;
        const joined = Buffer.concat(await decodedSegments(repaged, cut));
        const expected = Buffer.concat(await decodedSegments(pagePerPacket, cut));
        assert.equal(joined.length, expected.length);
        // Opus decodes slightly differently after a cut, and cuts by size depend on the pages.
        if (container === 'ogg-vorbis') assert.ok(joined.equals(expected));
      });
    }

    test('a page inside a segment is passed on', async () => {
      const source = await withPages(codec, 100_000);
      const sourcePages = new Set(parsePages(source).map(contents));
      const { files } = await splitBuffer(container, source, TWO_SECONDS);
      for (const file of files) {
        const pages = parsePages(file);
        assertStream(pages, headerPacketCount);
        const passed = pages.filter((page) => sourcePages.has(contents(page)));
        assert.ok(passed.length > pages.length / 2);
      }
      const sameCuts = await decodedSegments(pagePerPacket, TWO_SECONDS);
      assert.deepEqual(await decodeAll(files, spec.extension, 'f32le'), sameCuts);
    });

    test('a page that is lost, doubled, damaged or has a wrong position stops copying', async () => {
      const pages = parsePages(repage(pagePerPacket, headerPacketCount, { lacingPerPage: 30 }));
      const at = Math.floor(pages.length / 2);
      const middle = pages.slice(at, at + 1);
      const shifted = middle.map((page) => ({ ...page, granulePosition: page.granulePosition + 1 }));
      const spoilt = middle.map((page) => formatPage(page).fill(0, 100, 104));
      const format = (part: readonly Page[]): Buffer => Buffer.concat(part.map(formatPage));
      const before = format(pages.slice(0, at));
      const after = format(pages.slice(at + 1));
      for (const replacement of [
        Buffer.alloc(0),
        format([...middle, ...middle]),
        format(shifted),
        Buffer.concat(spoilt),
      ]) {
        const source = Buffer.concat([before, replacement, after]);
        await assert.rejects(splitBuffer(container, source, TWO_SECONDS), CopyNotPossibleError);
      }
    });
  });
}

test('packets of more than 255 lacing values stay complete', async () => {
  const [codec] = CODECS;
  assert.ok(codec);
  const { container, headerPacketCount, spec } = codec;
  const source = await withPages(codec, 1);
  // Decoders skip the bytes after a packet's last bit.
  const replace = (packet: Buffer, index: number): Buffer =>
    index % 50 === 49 ? Buffer.concat([packet, Buffer.alloc(70_000 - packet.length)]) : packet;
  for (const lacingPerPage of [50, 255]) {
    const padded = repage(source, headerPacketCount, { lacingPerPage, replace });
    const [whole] = await decodeAll([padded], spec.extension, 'f32le');
    for (const cut of [TWO_SECONDS, { mode: 'fileSize', maxFileSizeBytes: 160_000 }] as const) {
      const { files } = await splitBuffer(container, padded, cut);
      for (const file of files) assertStream(parsePages(file), headerPacketCount);
      assert.deepEqual(Buffer.concat(await decodeAll(files, spec.extension, 'f32le')), whole);
    }
  }
});

/** Checks what RFC 3533 requires of a stream on its own. */
function assertStream(pages: readonly Page[], headerPacketCount: number): void {
  let packetCount = 0;
  let position = 0;
  let isInPacket = false;
  for (const [index, { flags, granulePosition, serial, sequence, lacing }] of pages.entries()) {
    assert.equal(sequence, index);
    assert.equal(serial, pages[0]?.serial);
    assert.equal((flags & FIRST) !== 0, index === 0);
    assert.equal((flags & LAST) !== 0, index === pages.length - 1);
    assert.equal((flags & CONTINUED) !== 0, isInPacket);
    const ending = lacing.filter((value) => value < 255).length;
    assert.equal(granulePosition === -1, ending === 0);
    if (ending > 0) {
      assert.ok(granulePosition >= position);
      position = granulePosition;
    }
    const isHeader = packetCount < headerPacketCount;
    packetCount += ending;
    if (index === 0) assert.equal(packetCount, 1);
    if (isHeader) assert.ok(packetCount <= headerPacketCount);
    isInPacket = lacing.at(-1) === 255;
  }
  assert.equal(isInPacket, false);
}

function contents({ lacing, body }: Page): string {
  return `${lacing.join()} ${body.toString('base64')}`;
}
