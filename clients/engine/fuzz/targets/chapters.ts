import { chapterPieces } from '@audiosplit/cuts/plan/chapter-pieces';
import { PlanError } from '@audiosplit/cuts/plan/plan-error';
import { parseCueSheet } from '../../src/chapters/cue-sheet.ts';
import { readChapters } from '../../src/chapters/read-chapters.ts';
import { MAX_CHAPTERS, type SourceChapter } from '../../src/chapters/source-chapters.ts';
import type { SourceContainer } from '../../src/formats/formats.ts';
import { createCase } from '../engine/fuzz-case.ts';
import { assertHolds, type FuzzTarget } from '../engine/fuzz-target.ts';
import { anyOf } from '../grammars/any.ts';
import { COMMENTS } from '../grammars/comments.ts';
import { EBML } from '../grammars/ebml.ts';
import { FLAC } from '../grammars/flac.ts';
import { type Grammar, words } from '../grammars/grammar.ts';
import { ID3 } from '../grammars/id3.ts';
import { MP4 } from '../grammars/mp4.ts';
import { OGG } from '../grammars/ogg.ts';
import { TEXT } from '../grammars/text.ts';
import {
  apeChapterSeeds,
  CUE_SHEETS,
  flacChapterSeeds,
  id3ChapterSeeds,
  matroskaChapterSeeds,
  movieChapterSeeds,
  oggChapterSeeds,
} from '../seeds/chapters.ts';
import { fileParserTarget, parserTarget } from './parser-target.ts';

const CUE_WORDS = words(
  'TRACK 01 AUDIO\n',
  'INDEX 01 00:00:00\n',
  'TITLE "',
  'FILE "',
  'APETAGEX',
  'Cuesheet\u0000',
);

export const ID3_CHAPTERS = chapterTarget('id3', ['mp3', 'wav', 'aiff'], ID3, id3ChapterSeeds);
export const MOVIE_CHAPTERS = chapterTarget('movie', ['mp4'], MP4, movieChapterSeeds);
export const MATROSKA_CHAPTERS = chapterTarget('matroska', ['matroska'], EBML, matroskaChapterSeeds);
export const OGG_CHAPTERS = chapterTarget('ogg', ['ogg'], withWords(OGG), oggChapterSeeds);
export const FLAC_CHAPTERS = chapterTarget('flac', ['flac'], withWords(FLAC), flacChapterSeeds);
export const APE_CHAPTERS = chapterTarget('ape', ['wavpack'], anyOf(CUE_WORDS), apeChapterSeeds);

export const CUE_SHEET = parserTarget(
  'cue-sheet',
  { ...TEXT, words: [...TEXT.words, ...CUE_WORDS] },
  () => CUE_SHEETS.map((text) => createCase(Buffer.from(text))),
  ({ source, parameter }) => checkChapters(parseCueSheet(source.toString()), parameter),
);

function withWords(grammar: Grammar): Grammar {
  return { ...grammar, words: [...grammar.words, ...COMMENTS.words, ...CUE_WORDS] };
}

/** The parameter picks one of the containers. */
function chapterTarget(
  name: string,
  containers: readonly SourceContainer[],
  grammar: Grammar,
  seeds: FuzzTarget['seeds'],
): FuzzTarget {
  return fileParserTarget(`chapters-${name}`, grammar, seeds, async (path, { source, parameter }) => {
    const container = containers[parameter % containers.length] ?? 'mp3';
    const found = await readChapters({ path, sizeBytes: source.length }, { container });
    if (found === undefined) return;
    assertHolds(found.chapters.length > 0, 'what is found has a chapter');
    checkChapters(found.chapters, parameter);
    for (const { title } of found.chapters)
      assertHolds(title === undefined || /^[^\p{Cc}]{1,500}$/u.test(title), 'titles are clean');
  });
}

function checkChapters(chapters: readonly SourceChapter[], parameter: number): void {
  assertHolds(chapters.length <= MAX_CHAPTERS, 'no more chapters are kept than allowed');
  assertHolds(
    chapters.every(({ startSeconds }) => startSeconds >= 0 && Number.isFinite(startSeconds)),
    'times are times',
  );
  const bounds = { startSeconds: (parameter % 7) * 10, endSeconds: 60 + parameter, totalSeconds: 3_600 };
  try {
    let at = bounds.startSeconds;
    for (const { startSeconds, endSeconds } of chapterPieces(chapters, bounds)) {
      assertHolds(startSeconds === at && endSeconds > startSeconds, 'pieces follow each other');
      at = endSeconds;
    }
    assertHolds(at === Math.min(bounds.endSeconds, bounds.totalSeconds), 'pieces reach to the end');
  } catch (error) {
    if (!(error instanceof PlanError) || error.failure !== 'NO_CHAPTERS') throw error;
  }
}
