import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBox } from '../copy/m4a/boxes.ts';
import { cluster, EBML, element, segment, simpleTag, UNKNOWN } from '../copy/testing/matroska.ts';
import type { SourceContainer } from '../formats/formats.ts';
import {
  bareMovie,
  chaptersElement,
  matroskaFile,
  neroChapters,
  seekHead,
  textMovie,
  textSample,
} from './testing/container-tables.ts';
import { readChaptersOf } from './testing/read-bytes.ts';

/** The kind of chapters, and each chapter's start and title. */
async function read(bytes: Uint8Array, container: SourceContainer): Promise<unknown> {
  const found = await readChaptersOf(bytes, container);
  return found && [found.kind, ...found.chapters.map(({ startSeconds, title }) => [startSeconds, title])];
}

const WIDE = Buffer.from('Zwëi', 'utf16le');
const TEXTS = [
  textSample('Eins'),
  textSample(Buffer.concat([Buffer.of(0xfe, 0xff), Buffer.from(WIDE).swap16()])),
  textSample(''),
  // A box after the text states its encoding.
  Buffer.concat([
    textSample(Buffer.concat([Buffer.of(0xff, 0xfe), WIDE])),
    createBox('encd', Buffer.alloc(4)),
  ]),
];
const DURATIONS = [1_500, 2_000, 250, 4_000];

// Covers C-2.21
test('a chapter track, in chunks of any length, takes precedence over chpl', async () => {
  const expected = ['movie-track', [0, 'Eins'], [1.5, 'Zwëi'], [3.5, undefined], [3.75, 'Zwëi']];
  const nero = neroChapters(1, [{ startSeconds: 1, title: 'nero' }]);
  for (const samplesPerChunk of [1, 2, 3, 4]) {
    const movie = textMovie({ texts: TEXTS, durationsTicks: DURATIONS, samplesPerChunk }, nero);
    assert.deepEqual(await read(movie, 'mp4'), expected);
  }
});

test('an edit list shifts the chapter track', async () => {
  const spec = { texts: TEXTS.slice(0, 2), durationsTicks: DURATIONS.slice(0, 2) };
  const delayed = textMovie({
    ...spec,
    edits: [
      [2_250, -1],
      [3_500, 0],
    ],
  });
  assert.deepEqual(await read(delayed, 'mp4'), ['movie-track', [2.25, 'Eins'], [3.75, 'Zwëi']]);
  const early = textMovie({ ...spec, edits: [[3_500, 500]] });
  assert.deepEqual(await read(early, 'mp4'), ['movie-track', [0, 'Eins'], [1, 'Zwëi']]);
});

// Covers C-2.21
test('chpl without a chapter track, in both versions', async () => {
  const list = [
    { startSeconds: 0, title: 'Eins' },
    { startSeconds: 61.25, title: 'Zwëi' },
  ];
  const expected = ['chpl', [0, 'Eins'], [61.25, 'Zwëi']];
  for (const version of [0, 1] as const)
    assert.deepEqual(await read(bareMovie(neroChapters(version, list)), 'mp4'), expected);
  const empty = textMovie({ texts: [], durationsTicks: [], samplesPerChunk: 1 }, neroChapters(1, list));
  assert.deepEqual(await read(empty, 'mp4'), expected);
});

// Covers C-2.22
test('Matroska: the default edition, otherwise the first visible one', async () => {
  const edition = (title: string, flags: { isDefault?: boolean; isHidden?: boolean } = {}) => ({
    atoms: [{ startSeconds: 1.25, title }],
    ...flags,
  });
  const readEditions = (...editions: readonly ReturnType<typeof edition>[]): Promise<unknown> =>
    read(matroskaFile(chaptersElement(...editions)), 'matroska');
  assert.deepEqual(await readEditions(edition('a'), edition('b', { isDefault: true })), [
    'matroska',
    [1.25, 'b'],
  ]);
  assert.deepEqual(await readEditions(edition('a', { isHidden: true }), edition('b')), [
    'matroska',
    [1.25, 'b'],
  ]);
  assert.deepEqual(await readEditions(edition('a', { isHidden: true })), ['matroska', [1.25, 'a']]);
});

// Covers C-2.22
test('Matroska: the topmost level with more than one chapter; hidden, disabled and linked chapters cause no cut', async () => {
  const atoms = [
    {
      startSeconds: 0,
      title: 'Book',
      within: [
        { startSeconds: 0, title: 'One', within: [{ startSeconds: 3 }, { startSeconds: 4 }] },
        { startSeconds: 5, title: 'hidden', isHidden: true },
        { startSeconds: 6, title: 'disabled', isDisabled: true },
        { startSeconds: 7, title: 'linked', isLinked: true },
        { startSeconds: 400_000.5, title: 'Two' },
      ],
    },
    { startSeconds: 9, title: 'hidden', isHidden: true },
  ];
  assert.deepEqual(await read(matroskaFile(chaptersElement({ atoms })), 'matroska'), [
    'matroska',
    [0, 'One'],
    [400_000.5, 'Two'],
  ]);
  const single = [{ startSeconds: 2, title: 'Only', within: [{ startSeconds: 2.5, title: 'Inner' }] }];
  assert.deepEqual(await read(matroskaFile(chaptersElement({ atoms: single })), 'matroska'), [
    'matroska',
    [2, 'Only'],
  ]);
});

test('Matroska: chapters after the sound are found by a SeekHead, by a second one, or by walking', async () => {
  const chapters = chaptersElement({ atoms: [{ startSeconds: 1, title: 'x' }] });
  const expected = ['matroska', [1, 'x']];
  const sound = cluster([element(0xec, Buffer.alloc(100_000))]);
  assert.deepEqual(await read(matroskaFile(sound, sound, chapters), 'matroska'), expected);
  const seekBytes = seekHead([0x1043a770, 0]).length;
  const found = matroskaFile(seekHead([0x1043a770, seekBytes + sound.length]), sound, chapters);
  assert.deepEqual(await read(found, 'matroska'), expected);
  const second = seekHead([0x1043a770, seekBytes + sound.length]);
  const twice = matroskaFile(
    seekHead([0x114d9b74, seekBytes + sound.length + chapters.length]),
    sound,
    chapters,
    second,
  );
  assert.deepEqual(await read(twice, 'matroska'), expected);
  const endless = cluster([element(0xec, Buffer.alloc(100))], UNKNOWN);
  const live = Buffer.concat([EBML, segment([chapters, endless], UNKNOWN)]);
  assert.deepEqual(await read(live, 'matroska'), expected);
  const circle = matroskaFile(seekHead([0x114d9b74, 0]), endless);
  assert.equal(await read(circle, 'matroska'), undefined);
});

// Covers C-2.24
test('Matroska: a cue sheet in the tags, before or after the sound, if there are no chapters', async () => {
  const cue = 'TRACK 01 AUDIO\nTITLE "Eins"\nINDEX 01 00:01:00\nTRACK 02 AUDIO\nINDEX 01 02:00:00\n';
  const tag = (name: string, value: string, targets: Buffer = Buffer.alloc(0)): Buffer =>
    element(0x7373, Buffer.concat([element(0x63c0, targets), simpleTag(name, value)]));
  const ofChapter = tag('CUESHEET', cue.replace('Eins', 'chapter'), element(0x63c4, Buffer.of(1)));
  const tags = element(0x1254c367, Buffer.concat([tag('TITLE', 'x'), ofChapter, tag('CueSheet', cue)]));
  const expected = ['cuesheet-tag', [1, 'Eins'], [120, undefined]];
  const sound = cluster([element(0xec, Buffer.alloc(100_000))]);
  assert.deepEqual(await read(matroskaFile(tags, sound), 'matroska'), expected);
  assert.deepEqual(await read(matroskaFile(sound, tags), 'matroska'), expected);
  const seekBytes = seekHead([0x1254c367, 0]).length;
  const found = matroskaFile(seekHead([0x1254c367, seekBytes + sound.length]), sound, tags);
  assert.deepEqual(await read(found, 'matroska'), expected);
  const chapters = chaptersElement({ atoms: [{ startSeconds: 2, title: 'chapter' }] });
  assert.deepEqual(await read(matroskaFile(tags, chapters, sound), 'matroska'), ['matroska', [2, 'chapter']]);
  const none = chaptersElement({ atoms: [{ startSeconds: 2, isHidden: true }] });
  assert.deepEqual(await read(matroskaFile(none, tags, sound), 'matroska'), expected);
});
