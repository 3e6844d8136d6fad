/**
 * Sources with false chapter data: reading them takes bounded time, throws no error, and returns the chapters
 * that remain.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { chapterPieces } from '@audiosplit/cuts/plan/chapter-pieces';
import { createBox, uint32 } from '../copy/m4a/boxes.ts';
import { createComments } from '../copy/tags/vorbis-comment.ts';
import { withScratchDir } from '../copy/testing/ffmpeg.ts';
import { EBML, element, segment, simpleTag, UNKNOWN } from '../copy/testing/matroska.ts';
import type { SourceContainer } from '../formats/formats.ts';
import { readChapters } from './read-chapters.ts';
import { MAX_CHAPTERS, type SourceChapters } from './source-chapters.ts';
import {
  bareMovie,
  chaptersElement,
  matroskaFile,
  neroChapters,
  oggFile,
  textMovie,
  textSample,
} from './testing/container-tables.ts';
import { readChaptersOf } from './testing/read-bytes.ts';
import {
  apeTag,
  big,
  chapFrame,
  chapterComments,
  ctocFrame,
  cuesheetBlock,
  flacHead,
  id3Tag,
  little,
  riffFile,
} from './testing/tag-tables.ts';

const MANY = 100_000;
/** They take some hundred milliseconds; a machine may be busy with other things. */
const MAX_MS = 15_000;

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

async function readInTime(
  bytes: Uint8Array,
  container: SourceContainer,
): Promise<SourceChapters | undefined> {
  const startMs = performance.now();
  const found = await readChaptersOf(bytes, container);
  if (found !== undefined)
    chapterPieces(found.chapters, { startSeconds: 0, endSeconds: 1e18, totalSeconds: 1e18 });
  assert.ok(performance.now() - startMs < MAX_MS, `it took ${performance.now() - startMs} ms`);
  return found;
}

const commentList = (count: number): Buffer =>
  createComments(times(count, (index) => `CHAPTER${String(index).padStart(5, '0')}=00:00:00.000`));
const cueSheet = (count: number): string =>
  times(count, (index) => `TRACK ${index % 100} AUDIO\n TITLE "t"\n INDEX 01 ${index}:00:00`).join('\n');
const cueSheetTag = (count: number): Buffer =>
  element(0x1254c367, element(0x7373, simpleTag('CUESHEET', cueSheet(count))));
const TEXT = textSample('t');

const CROWDS: readonly (readonly [name: string, container: SourceContainer, bytes: () => Buffer])[] = [
  [
    'CHAP frames',
    'mp3',
    () =>
      id3Tag(
        4,
        times(MANY, (index) => chapFrame(4, `c${index}`, index * 1_000, 't')),
      ),
  ],
  ['comments', 'flac', () => flacHead([[4, commentList(MANY)]])],
  ['a cue sheet in a comment', 'flac', () => flacHead([[4, createComments([`CUESHEET=${cueSheet(MANY)}`])]])],
  ['a cue sheet in an APE tag', 'wavpack', () => apeTag([['Cuesheet', cueSheet(MANY)]])],
  ['a cue sheet in a tag of Matroska', 'matroska', () => matroskaFile(cueSheetTag(MANY))],
  [
    'atoms',
    'matroska',
    () =>
      matroskaFile(chaptersElement({ atoms: times(MANY, (index) => ({ startSeconds: index, title: 't' })) })),
  ],
  [
    'chpl',
    'mp4',
    () =>
      bareMovie(
        neroChapters(
          1,
          times(MANY, (index) => ({ startSeconds: index, title: 't' })),
        ),
      ),
  ],
  [
    'text samples',
    'mp4',
    () =>
      textMovie({ texts: times(MANY, () => TEXT), durationsTicks: times(MANY, () => 9), samplesPerChunk: 1 }),
  ],
];

for (const [name, container, bytes] of CROWDS) {
  test(`100,000 chapters as ${name}: the first 20,000 are kept`, async () => {
    assert.equal((await readInTime(bytes(), container))?.chapters.length, MAX_CHAPTERS);
  });
}

test('a cue sheet of 10 MB, in lines of any length', async () => {
  const tenMegabytes = 10_000_000;
  const comment = (text: string): Buffer => flacHead([[4, createComments([`CUESHEET=${text}`])]]);
  const track = 'TRACK 01 AUDIO\nINDEX 01 00:01:00\n';
  for (const filler of [' ', '\n', 'TITLE "\n', 'TRACK 01 AUDIO\n', 'INDEX 01 0:0:0 ']) {
    const text = filler.repeat(Math.floor(tenMegabytes / filler.length));
    const found = await readInTime(comment(`${text}\n${track}`), 'flac');
    assert.ok(found === undefined || found.chapters.length === 1);
  }
});

test('titles of megabytes are cut', async () => {
  const long = 'ü'.repeat(2_000_000);
  const cut = 'ü'.repeat(500);
  const titleOf = async (bytes: Buffer, container: SourceContainer): Promise<unknown> =>
    (await readInTime(bytes, container))?.chapters[0]?.title;
  assert.equal(await titleOf(id3Tag(3, [chapFrame(3, 'a', 0, long)]), 'mp3'), cut);
  assert.equal(await titleOf(flacHead([[4, chapterComments([{ time: '0:0:0', name: long }])]]), 'flac'), cut);
  const atoms = [{ startSeconds: 0, title: long }];
  assert.equal(await titleOf(matroskaFile(chaptersElement({ atoms })), 'matroska'), cut);
  const text = textSample('ü'.repeat(30_000));
  assert.equal(await titleOf(textMovie({ texts: [text], durationsTicks: [1] }), 'mp4'), cut);
});

test('tables of tables: thousands that all refer to each other, and a chain of thousands', async () => {
  const ids = times(2_000, (index) => `t${index}`);
  const mesh = ids.map((id) => ctocFrame(4, { id, entries: ids.slice(0, 255), isTopLevel: true }));
  const chapters = [chapFrame(4, 'a', 1_000, 'A'), chapFrame(4, 'b', 2_000, 'B')];
  const meshed = await readInTime(id3Tag(4, [...mesh, ...chapters]), 'mp3');
  assert.deepEqual(
    meshed?.chapters.map(({ title }) => title),
    ['A', 'B'],
  );
  const chain = ids.map((id, index) =>
    ctocFrame(4, { id, entries: [`t${index + 1}`], isTopLevel: index === 0 }),
  );
  const end = ctocFrame(4, { id: 't2000', entries: ['a', 'b'] });
  const chained = await readInTime(id3Tag(4, [...chain, end, ...chapters]), 'mp3');
  assert.deepEqual(
    chained?.chapters.map(({ title }) => title),
    ['A', 'B'],
  );
});

test('a tag full of tables without a topmost one, each referring to 255 others', async () => {
  const ids = times(255, (index) => index.toString(36));
  const tables = times(8_000, (index) => ctocFrame(4, { id: `t${index}`, entries: ids }));
  const before = process.memoryUsage.rss();
  const found = await readInTime(id3Tag(4, [chapFrame(4, '1', 5_000, 'A'), ...tables]), 'mp3');
  assert.deepEqual(found?.chapters, [{ startSeconds: 5, title: 'A' }]);
  assert.ok(process.memoryUsage.rss() - before < 200 * 1024 * 1024);
});

test('EBML: chapters, editions and atoms of unknown size, nested a thousand times, and of a size beyond the file', async () => {
  const edition = chaptersElement({ atoms: [{ startSeconds: 1 }] }).subarray(12);
  assert.equal(
    (await readInTime(matroskaFile(element(0x1043a770, edition, UNKNOWN)), 'matroska'))?.chapters.length,
    1,
  );
  const atom = element(0xb6, element(0x91, Buffer.of(1)), UNKNOWN);
  const openEdition = element(0x1043a770, element(0x45b9, atom, UNKNOWN));
  assert.equal(await readInTime(matroskaFile(openEdition), 'matroska'), undefined);
  let nested: Buffer = Buffer.alloc(0);
  for (let depth = 0; depth < 1_000; depth++)
    nested = element(0xb6, Buffer.concat([element(0x91, Buffer.of(depth & 0x7f)), nested]));
  const deep = element(0x1043a770, element(0x45b9, nested));
  assert.equal((await readInTime(matroskaFile(deep), 'matroska'))?.chapters.length, 1);
  const beyond = Buffer.concat([EBML, segment([element(0x1043a770, edition, 2 ** 46)], 2 ** 47)]);
  assert.equal((await readInTime(beyond, 'matroska'))?.chapters.length, 1);
  const crowd = matroskaFile(Buffer.concat(times(MANY, () => Buffer.of(0xec, 0x80))));
  assert.equal(await readInTime(crowd, 'matroska'), undefined);
});

test('MP4: tables that declare more than they contain', async () => {
  const huge = 0xffffffff;
  const tables = createBox(
    'stbl',
    createBox('stts', uint32(0, huge, huge, huge)),
    createBox('stsc', uint32(0, huge, 1, huge, 1)),
    createBox('stsz', uint32(0, huge, huge)),
    createBox('stco', uint32(0, huge, 0xfffffff0)),
  );
  const text = createBox(
    'trak',
    createBox('tkhd', uint32(0, 0, 0, 2, 0)),
    createBox(
      'mdia',
      createBox('mdhd', uint32(0, 0, 0, 1, 0)),
      createBox('hdlr', uint32(0, 0), Buffer.from('text')),
      createBox('minf', tables),
    ),
  );
  const naming = createBox(
    'trak',
    createBox('tref', createBox('chap', uint32(...times(1_000, (index) => index)))),
  );
  const found = await readInTime(bareMovie(naming, text), 'mp4');
  assert.equal(found?.chapters.length, MAX_CHAPTERS);
  const traks = times(5_000, () => naming);
  await readInTime(bareMovie(...traks, text), 'mp4');
});

test('Ogg: a stream whose comments never arrive, and one without an end', async () => {
  const comments = Buffer.concat([Buffer.from('OpusTags'), chapterComments([{ time: '0:0:1' }])]);
  assert.equal(await readInTime(oggFile([Buffer.from('OpusHead\x01')]), 'ogg'), undefined);
  const flac = oggFile([
    Buffer.from('\x7fFLAC\x01\x00\x00\x02fLaC'),
    ...times(300, () => Buffer.from('\x01\x00\x00\x00')),
  ]);
  assert.equal(await readInTime(flac, 'ogg'), undefined);
  const damaged = oggFile([Buffer.from('OpusHead\x01'), comments]);
  damaged.writeUInt8(damaged.readUInt8(damaged.length - 1) ^ 1, damaged.length - 1);
  assert.equal(await readInTime(damaged, 'ogg'), undefined);
});

const WHOLE: readonly (readonly [SourceContainer, Buffer])[] = [
  [
    'mp3',
    id3Tag(4, [chapFrame(4, 'a', 5, 'A'), ctocFrame(4, { id: 't', entries: ['a'], isTopLevel: true })]),
  ],
  [
    'wav',
    riffFile([
      ['fmt ', Buffer.alloc(16)],
      ['id3 ', id3Tag(3, [chapFrame(3, 'a', 5, 'A')])],
    ]),
  ],
  [
    'flac',
    flacHead([
      [5, cuesheetBlock([{ number: 1, sample: 9, points: [[1, 1]] }])],
      [4, chapterComments([{ time: '0:0:1', name: 'x' }])],
    ]),
  ],
  [
    'ogg',
    oggFile([
      Buffer.from('OpusHead\x01'),
      Buffer.concat([Buffer.from('OpusTags'), chapterComments([{ time: '0:0:1' }])]),
    ]),
  ],
  [
    'mp4',
    textMovie(
      {
        texts: [TEXT, TEXT],
        durationsTicks: [1, 2],
        edits: [
          [1, -1],
          [2, 0],
        ],
      },
      neroChapters(1, [{ startSeconds: 1, title: 'n' }]),
    ),
  ],
  [
    'matroska',
    matroskaFile(chaptersElement({ atoms: [{ startSeconds: 1, title: 'x' }, { startSeconds: 2 }] })),
  ],
  ['matroska', matroskaFile(cueSheetTag(3))],
  ['wavpack', apeTag([['Cuesheet', cueSheet(3)]])],
];

for (const [container, bytes] of WHOLE) {
  test(`${container}, cut short at every byte or with any byte at its largest: no error`, async () => {
    await withScratchDir(async (dir) => {
      const path = join(dir, 'source');
      const read = (source: Buffer): Promise<SourceChapters | undefined> => {
        writeFileSync(path, source);
        return readChapters({ path, sizeBytes: source.length }, { container });
      };
      assert.ok((await read(bytes)) !== undefined);
      for (let at = 0; at < bytes.length; at++) {
        await read(bytes.subarray(0, at));
        const changed = Buffer.from(bytes);
        changed.writeUInt8(0xff, at);
        await read(changed);
      }
    });
  });
}

test('times that no source has, and no times', async () => {
  const endless = cuesheetBlock([{ number: 1, sample: 0 }]);
  endless.writeBigUInt64BE(2n ** 64n - 1n, 396);
  const found = await readInTime(flacHead([[5, endless]]), 'flac');
  assert.throws(() =>
    chapterPieces(found?.chapters ?? [], { startSeconds: 0, endSeconds: 60, totalSeconds: 60 }),
  );
  assert.equal(
    await readInTime(
      id3Tag(
        3,
        [chapFrame(3, 'a', 0xfffffffe), chapFrame(3, 'b', 0)].map((frame, index) => {
          if (index === 1) frame.writeUInt32BE(0xffffffff, 12);
          return frame;
        }),
      ),
      'mp3',
    ).then((chapters) => chapters?.chapters.length),
    1,
  );
  assert.equal(await readInTime(Buffer.concat([big(8, 0), little(8, 0)]), 'mp3'), undefined);
  assert.equal(await readInTime(Buffer.alloc(0), 'flac'), undefined);
});
