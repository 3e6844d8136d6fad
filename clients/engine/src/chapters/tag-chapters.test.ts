import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBox, uint32 } from '../copy/m4a/boxes.ts';
import { createComments } from '../copy/tags/vorbis-comment.ts';
import type { SourceContainer } from '../formats/formats.ts';
import { bareMovie, oggFile } from './testing/container-tables.ts';
import { readChaptersOf } from './testing/read-bytes.ts';
import {
  apeTag,
  big,
  chapFrame,
  chapterComments,
  ctocFrame,
  cuesheetBlock,
  flacBlock,
  flacHead,
  id3Frame,
  id3Tag,
  id3Text,
  little,
  riffFile,
  unsynchronise,
  userTextFrame,
} from './testing/tag-tables.ts';

/** The kind of chapters, and each chapter's start and title. */
async function read(bytes: Uint8Array, container: SourceContainer): Promise<unknown> {
  const found = await readChaptersOf(bytes, container);
  return found && [found.kind, ...found.chapters.map(({ startSeconds, title }) => [startSeconds, title])];
}

const SOUND = Buffer.alloc(2_000, 0x55);

function tagged(...frames: readonly Buffer[]): Buffer {
  return Buffer.concat([id3Tag(4, frames), SOUND]);
}

const FOUR = [
  chapFrame(4, 'a', 0, 'A'),
  chapFrame(4, 'b', 10_000, 'B'),
  chapFrame(4, 'c', 20_500, 'C'),
  chapFrame(4, 'd', 30_000, 'D'),
];

for (const version of [3, 4] as const) {
  test(`ID3v2.${version}: chapters in the order of their table; others are omitted`, async () => {
    const frames = [
      id3Frame(version, 'TIT2', id3Text(0, 'whole')),
      chapFrame(version, 'b', 10_250, 'B'),
      chapFrame(version, 'ad', 15_000, 'advertisement'),
      chapFrame(version, 'a', 0, 'A'),
      ctocFrame(version, { id: 'toc', entries: ['a', 'b', 'missing'], isTopLevel: true, isOrdered: true }),
    ];
    const expected = ['id3', [0, 'A'], [10.25, 'B']];
    assert.deepEqual(await read(Buffer.concat([id3Tag(version, frames), SOUND]), 'mp3'), expected);
    assert.deepEqual(await read(Buffer.concat([id3Tag(version, frames), SOUND]), 'adts'), expected);
    const chunks = [
      ['fmt ', Buffer.alloc(16)],
      ['data', Buffer.alloc(33)],
      ['id3 ', id3Tag(version, frames)],
    ] as const;
    assert.deepEqual(await read(riffFile(chunks), 'wav'), expected);
  });

  test(`ID3v2.${version}: titles in every encoding, and tags that are unsynchronised or extended`, async () => {
    const wide = Buffer.from('Ünö', 'utf16le');
    const titles = [
      id3Text(0, 'Ünö\0rest'),
      id3Text(1, 'Ünö'),
      Buffer.concat([Buffer.of(1, 0xfe, 0xff), Buffer.from(wide).swap16()]),
      Buffer.concat([Buffer.of(1), wide]),
      Buffer.concat([Buffer.of(1), Buffer.from('Un\u00f6', 'utf16le').swap16()]),
      id3Text(2, 'Ünö'),
      id3Text(3, 'Ünö'),
    ];
    const frames = titles.map((title, index) => chapFrame(version, `c${index}`, index * 1_000, title));
    const expected = ['id3', ...titles.map((_, index) => [index, index === 4 ? 'Unö' : 'Ünö'])];
    const plain = id3Tag(version, frames);
    assert.deepEqual(await read(plain, 'mp3'), expected);

    const extended =
      version === 3 ? Buffer.concat([big(4, 6), Buffer.alloc(6)]) : Buffer.of(0, 0, 0, 6, 1, 0);
    const withHeader = id3Tag(version, [extended, ...frames]);
    withHeader.writeUInt8(0x40, 5);
    assert.deepEqual(await read(withHeader, 'mp3'), expected);

    const safeFrames = frames.map((frame) => id3Frame(version, 'CHAP', unsynchronise(frame.subarray(10)), 2));
    const unsynchronised = id3Tag(
      version,
      version === 3 ? [unsynchronise(Buffer.concat(frames))] : safeFrames,
    );
    unsynchronised.writeUInt8(0x80, 5);
    assert.deepEqual(await read(unsynchronised, 'mp3'), expected);
  });
}

// Covers C-2.20
test('nested tables: the topmost level with more than one entry', async () => {
  const parts = [
    ctocFrame(4, { id: 'toc', entries: ['book'], isTopLevel: true, isOrdered: true }),
    ctocFrame(4, { id: 'book', entries: ['one', 'two'], title: 'Book' }),
    ctocFrame(4, { id: 'one', entries: ['b', 'a'], title: 'Part one' }),
    ctocFrame(4, { id: 'two', entries: ['c', 'd'], title: 'Part two' }),
  ];
  assert.deepEqual(await read(tagged(...FOUR, ...parts), 'mp3'), [
    'id3',
    [0, 'Part one'],
    [20.5, 'Part two'],
  ]);
  const mixed = ctocFrame(4, { id: 'book', entries: ['a', 'b', 'two'] });
  assert.deepEqual(await read(tagged(...FOUR, parts[0] ?? mixed, mixed, ...parts.slice(3)), 'mp3'), [
    'id3',
    ...[
      [0, 'A'],
      [10, 'B'],
      [20.5, 'Part two'],
    ],
  ]);
});

test('tables in cycles, of nothing or of one chapter', async () => {
  const all = ['id3', [0, 'A'], [10, 'B'], [20.5, 'C'], [30, 'D']];
  const circle = [
    ctocFrame(4, { id: 'x', entries: ['y'], isTopLevel: true }),
    ctocFrame(4, { id: 'y', entries: ['x'] }),
  ];
  assert.deepEqual(await read(tagged(...FOUR, ...circle), 'mp3'), all);
  const partial = [
    ctocFrame(4, { id: 'x', entries: ['y', 'z', 'x'], isTopLevel: true }),
    ctocFrame(4, { id: 'y', entries: ['z', 'x', 'c'], title: 'Y' }),
    ctocFrame(4, { id: 'z', entries: ['y', 'x', 'b'], title: 'Z' }),
  ];
  const found = (await readChaptersOf(tagged(...FOUR, ...partial), 'mp3'))?.chapters;
  assert.deepEqual(found?.map(({ title }) => title).slice(0, 2), ['Y', 'Z']);
  assert.deepEqual(
    await read(tagged(...FOUR, ctocFrame(4, { id: 'x', entries: [], isTopLevel: true })), 'mp3'),
    all,
  );
  const single = ctocFrame(4, { id: 'x', entries: ['c'] });
  assert.deepEqual(await read(tagged(...FOUR, single), 'mp3'), ['id3', [20.5, 'C']]);
});

test('plain sizes in a tag of version 4, as written by iTunes', async () => {
  const long = 'x'.repeat(300);
  const frame = chapFrame(4, 'a', 1_000);
  const body = Buffer.concat([
    frame.subarray(10),
    Buffer.from('TIT2'),
    big(4, 301),
    Buffer.alloc(2),
    id3Text(3, long),
  ]);
  const plain = Buffer.concat([Buffer.from('CHAP'), big(4, body.length), Buffer.alloc(2), body]);
  assert.deepEqual(await read(tagged(plain, ...FOUR.slice(1, 2)), 'mp3'), ['id3', [1, long], [10, 'B']]);
});

const CUE = `\ufeffREM GENRE x
PERFORMER "Somebody"
TITLE "Whole"
FILE "source.flac" WAVE
  TRACK 01 AUDIO
    TITLE "The "first" one"
    INDEX 00 00:00:00
    INDEX 01 00:00:30
  TRACK 02 MODE1/2352
    TITLE "data"
    INDEX 01 01:00:00
  TRACK 03 AUDIO
    TITLE Bare title
    PERFORMER "Another"
    INDEX 00 01:58:00
    INDEX 01 02:00:00
\tTRACK 04 AUDIO
\tINDEX 01 120:10:74
`;
const CUE_CHAPTERS = [
  'cuesheet-tag',
  [0.4, 'The "first" one'],
  [120, 'Bare title'],
  [7_210 + 74 / 75, undefined],
];

// Covers C-2.24
test('a cue sheet as a tag: of FLAC, Ogg, ID3v2 and APE, with any line ends', async () => {
  for (const cue of [CUE, CUE.replaceAll('\n', '\r\n'), CUE.replaceAll('\n', '\r')]) {
    const comments = createComments(['TITLE=x', `cuesheet=${cue}`]);
    assert.deepEqual(await read(flacHead([[4, comments]]), 'flac'), CUE_CHAPTERS);
    const opus = oggFile([Buffer.from('OpusHead\x01'), Buffer.concat([Buffer.from('OpusTags'), comments])]);
    assert.deepEqual(await read(opus, 'ogg'), CUE_CHAPTERS);
    for (const encoding of [1, 3] as const)
      assert.deepEqual(await read(tagged(userTextFrame(4, encoding, 'CueSheet', cue)), 'mp3'), CUE_CHAPTERS);
    const ape = apeTag([
      ['Title', 'x'],
      ['Cuesheet', cue],
    ]);
    assert.deepEqual(await read(Buffer.concat([SOUND, ape]), 'wavpack'), CUE_CHAPTERS);
    const id3v1 = Buffer.concat([Buffer.from('TAG'), Buffer.alloc(125)]);
    assert.deepEqual(await read(Buffer.concat([SOUND, ape, id3v1]), 'mp3'), CUE_CHAPTERS);
  }
});

// Covers C-2.24
test('a cue sheet in the free-form tags of an MP4', async () => {
  const item = (name: string, value: string): Buffer =>
    createBox(
      '----',
      createBox('mean', uint32(0), Buffer.from('com.apple.iTunes')),
      createBox('name', uint32(0), Buffer.from(name)),
      createBox('data', uint32(1, 0), Buffer.from(value)),
    );
  const list = createBox('ilst', item('iTunNORM', 'x'), item('CUESHEET', CUE));
  const movie = bareMovie(createBox('udta', createBox('meta', uint32(0), list)));
  assert.deepEqual(await read(movie, 'mp4'), CUE_CHAPTERS);
});

test('a cue sheet of several files has no chapters', async () => {
  const cue = `${CUE}FILE "second.flac" WAVE\nTRACK 05 AUDIO\nINDEX 01 00:00:00\n`;
  assert.equal(await read(flacHead([[4, createComments([`CUESHEET=${cue}`])]]), 'flac'), undefined);
});

// Covers C-2.23 C-2.24
test('Vorbis comments take precedence over a CUESHEET block, and that over a cue sheet as a tag', async () => {
  const block = cuesheetBlock([
    {
      number: 1,
      sample: 0,
      points: [
        [0, 0],
        [44_100, 1],
      ],
    },
    { number: 2, sample: 88_200, points: [[0, 1]] },
    { number: 3, sample: 100_000, isData: true, points: [[0, 1]] },
    { number: 4, sample: 441_000 },
    { number: 170, sample: 500_000 },
  ]);
  const fromBlock = ['flac-cuesheet', [1, undefined], [2, undefined], [10, undefined]];
  const cue = createComments([`CUESHEET=${CUE}`]);
  assert.deepEqual(
    await read(
      flacHead([
        [4, cue],
        [5, block],
      ]),
      'flac',
    ),
    fromBlock,
  );
  const chapters = chapterComments(
    [
      { time: '00:00:00.000', name: 'Eins' },
      { time: '00:01:30.5' },
      { time: '1:2:3', name: ' drei ' },
      { time: 'x' },
    ],
    `CUESHEET=${CUE}`,
  );
  const fromComments = ['vorbis-comments', [0, 'Eins'], [90.5, undefined], [3_723, 'drei']];
  assert.deepEqual(
    await read(
      flacHead([
        [5, block],
        [4, chapters],
      ]),
      'flac',
    ),
    fromComments,
  );
  const heads = ['OpusHead', '\x01vorbis', 'Speex   '] as const;
  const prefixes = ['OpusTags', '\x03vorbis', ''] as const;
  for (const [index, head] of heads.entries()) {
    const packets = [
      Buffer.from(`${head}\x01`),
      Buffer.concat([Buffer.from(prefixes[index] ?? ''), chapters]),
    ];
    assert.deepEqual(await read(oggFile(packets), 'ogg'), fromComments);
  }
  const oggFlac = (...blocks: readonly Buffer[]): Buffer => {
    const head = Buffer.concat([
      Buffer.from('\x7fFLAC\x01\x00\x00\x02', 'latin1'),
      flacHead([]).subarray(0, 42),
    ]);
    head.writeUInt8(0, 13);
    return oggFile([head, ...blocks]);
  };
  assert.deepEqual(
    await read(oggFlac(flacBlock(4, cue, false), flacBlock(5, block, true)), 'ogg'),
    fromBlock,
  );
});

test('ID3v2 in a chunk of AIFF and RF64, and after the sound of DSF', async () => {
  const tag = id3Tag(4, FOUR.slice(0, 2));
  const expected = ['id3', [0, 'A'], [10, 'B']];
  const aiff = [
    Buffer.from('FORM\0\0\0\0AIFFSSND'),
    big(4, 3),
    Buffer.alloc(4),
    Buffer.from('ID3 '),
    big(4, tag.length),
    tag,
  ];
  assert.deepEqual(await read(Buffer.concat(aiff), 'aiff'), expected);
  const sizes = Buffer.concat([little(8, 0), little(8, 9), little(8, 0), little(4, 0)]);
  const rf64 = riffFile([
    ['ds64', sizes],
    ['data', Buffer.alloc(9)],
    ['id3 ', tag],
  ]);
  rf64.write('RF64', 0);
  rf64.writeUInt32LE(0xffffffff, rf64.indexOf('data') + 4);
  assert.deepEqual(await read(rf64, 'wav'), expected);
  const dsf = [
    Buffer.from('DSD '),
    little(8, 28),
    little(8, 100 + tag.length),
    little(8, 100),
    Buffer.alloc(72),
    tag,
  ];
  assert.deepEqual(await read(Buffer.concat(dsf), 'wav'), expected);
});

// Covers C-2.19 C-2.20
test('chapters in a tag before a container take precedence over those of the container', async () => {
  const flac = flacHead([[4, chapterComments([{ time: '00:00:05.000', name: 'own' }])]]);
  const tag = id3Tag(3, [chapFrame(3, 'a', 7_000, 'tag')]);
  assert.deepEqual(await read(Buffer.concat([tag, flac]), 'flac'), ['id3', [7, 'tag']]);
  const titled = id3Tag(3, [id3Frame(3, 'TIT2', id3Text(0, 'x'))]);
  assert.deepEqual(await read(Buffer.concat([titled, tag, flac]), 'flac'), ['id3', [7, 'tag']]);
  assert.deepEqual(await read(Buffer.concat([titled, flac]), 'flac'), ['vorbis-comments', [5, 'own']]);
});
