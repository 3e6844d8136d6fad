import {
  bareMovie,
  chaptersElement,
  matroskaFile,
  neroChapters,
  oggFile,
  seekHead,
  textMovie,
  textSample,
} from '../../src/chapters/testing/container-tables.ts';
import {
  apeTag,
  chapFrame,
  chapterComments,
  ctocFrame,
  cuesheetBlock,
  flacBlock,
  flacHead,
  id3Tag,
  id3Text,
  riffFile,
  userTextFrame,
} from '../../src/chapters/testing/tag-tables.ts';
import { createBox, uint32 } from '../../src/copy/m4a/boxes.ts';
import { cluster, element, simpleTag } from '../../src/copy/testing/matroska.ts';
import { createCase } from '../engine/fuzz-case.ts';
import { ascii, little, noise, times } from './bytes.ts';

export const CUE_SHEETS: readonly string[] = [
  'FILE "x" WAVE\nTRACK 01 AUDIO\n  TITLE "One"\n  INDEX 00 00:00:00\n  INDEX 01 00:01:30\nTRACK 02 AUDIO\n  TITLE Two\n  INDEX 01 10:00:74\n',
  'TRACK 01 MODE1/2352\r\nINDEX 01 00:00:00\r\nTRACK 2\r\nINDEX 1 1:0:0\r\nFILE "y" WAVE\r\n',
];
const [CUE = ''] = CUE_SHEETS;

/** In the order of the containers of the target. */
export function id3ChapterSeeds(): readonly Buffer[] {
  const frames = (version: 3 | 4): readonly Buffer[] => [
    ctocFrame(version, { id: 'toc', entries: ['one', 'two'], isTopLevel: true, isOrdered: true }),
    ctocFrame(version, { id: 'one', entries: ['a', 'b', 'toc'], title: 'Part' }),
    ctocFrame(version, { id: 'two', entries: ['two', 'c'] }),
    ...(['a', 'b', 'c'] as const).map((id, index) =>
      chapFrame(version, id, index * 900, id3Text(index === 0 ? 1 : 2, id)),
    ),
    userTextFrame(version, 1, 'CUESHEET', CUE),
  ];
  const unsynchronised = id3Tag(4, frames(4));
  unsynchronised.writeUInt8(0xc0, 5);
  return [
    createCase(Buffer.concat([id3Tag(3, frames(3)), id3Tag(4, frames(4)), noise(20)]), { parameter: 0 }),
    createCase(unsynchronised, { parameter: 0 }),
    createCase(
      riffFile([
        ['fmt ', noise(16)],
        ['data', noise(9)],
        ['id3 ', id3Tag(4, frames(4))],
      ]),
      { parameter: 1 },
    ),
    createCase(Buffer.concat([ascii('DSD '), little(8, 28, 200, 30), Buffer.alloc(2), id3Tag(3, frames(3))])),
  ];
}

export function movieChapterSeeds(): readonly Buffer[] {
  const spec = { texts: ['One', '', 'Three'].map(textSample), durationsTicks: [1_000, 500, 7] };
  const nero = neroChapters(1, [{ startSeconds: 1, title: 'Nero' }]);
  return [
    textMovie(spec),
    textMovie(
      {
        ...spec,
        samplesPerChunk: 2,
        edits: [
          [20, -1],
          [1_500, 10],
        ],
      },
      nero,
    ),
    bareMovie(nero),
    bareMovie(freeFormCueSheet()),
    bareMovie(
      neroChapters(
        0,
        times(3, (index) => ({ startSeconds: index, title: 'x' })),
      ),
    ),
  ].map((movie) => createCase(movie));
}

function freeFormCueSheet(): Buffer {
  const name = createBox('name', uint32(0), Buffer.from('cuesheet'));
  const list = createBox('ilst', createBox('----', name, createBox('data', uint32(1, 0), Buffer.from(CUE))));
  return createBox('udta', createBox('meta', uint32(0), list));
}

export function matroskaChapterSeeds(): readonly Buffer[] {
  const atoms = [
    {
      startSeconds: 0,
      title: 'Book',
      within: [{ startSeconds: 0, title: 'One' }, { startSeconds: 5, isHidden: true }, { startSeconds: 9 }],
    },
    { startSeconds: 2, isDisabled: true },
  ];
  const chapters = chaptersElement({ atoms, isHidden: true }, { atoms, isDefault: true });
  const sound = cluster([]);
  const at = seekHead([0x1043a770, 0]).length + sound.length;
  return [
    matroskaFile(chapters, sound),
    matroskaFile(element(0x1254c367, element(0x7373, simpleTag('CUESHEET', CUE))), sound),
    matroskaFile(sound, chapters),
    matroskaFile(seekHead([0x1043a770, at]), sound, chapters),
    matroskaFile(seekHead([0x114d9b74, at]), sound, seekHead([0x114d9b74, 0])),
  ].map((file) => createCase(file));
}

const COMMENTS = chapterComments(
  [{ time: '00:00:00.000', name: 'One' }, { time: '00:01:00.5' }, { time: '1:2:3', name: 'Three' }],
  `CUESHEET=${CUE}`,
);
const CUE_BLOCK = cuesheetBlock([
  {
    number: 1,
    sample: 0,
    points: [
      [0, 0],
      [588, 1],
    ],
  },
  { number: 2, sample: 44_100, isData: true },
  { number: 170, sample: 88_200 },
]);

export function oggChapterSeeds(): readonly Buffer[] {
  const flac = Buffer.concat([ascii('\u007fFLAC\u0001\u0000\u0000\u0002'), flacHead([]).subarray(0, 42)]);
  flac.writeUInt8(0, 13);
  return [
    oggFile([ascii('OpusHead\u0001'), Buffer.concat([ascii('OpusTags'), COMMENTS])]),
    oggFile([ascii('\u0001vorbis'), Buffer.concat([ascii('\u0003vorbis'), COMMENTS])]),
    oggFile([flac, flacBlock(4, COMMENTS, false), flacBlock(5, CUE_BLOCK, true)]),
  ].map((file) => createCase(file));
}

export function flacChapterSeeds(): readonly Buffer[] {
  return [flacHead([[4, COMMENTS]]), flacHead([[5, CUE_BLOCK]])].map((file) => createCase(file));
}

export function apeChapterSeeds(): readonly Buffer[] {
  const tag = apeTag([
    ['Title', 'x'],
    ['Cuesheet', CUE],
  ]);
  return [tag, Buffer.concat([tag, ascii('TAG'), Buffer.alloc(125)])].map((file) => createCase(file));
}
