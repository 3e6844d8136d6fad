/**
 * The chapters of a source, from the first kind found. Each parser reads as much as possible of a truncated
 * or contradictory table and returns none if there are none. A source is never refused because of its
 * chapters; only disk errors are passed on.
 */
import { cleanTitle } from '@audiosplit/cuts/plan/title';
import { findMoov } from '../convert/trim/movie-index.ts';
import { CHAPTERS, TAGS } from '../copy/matroska/elements.ts';
import { readTags } from '../copy/matroska/tags.ts';
import type { SniffedSource } from '../sniff/sniff.ts';
import type { LocalFile } from '../source/local-file.ts';
import { readApeCueSheet } from './ape-tag.ts';
import { parseCueSheet } from './cue-sheet.ts';
import { type FileBytes, openFileBytes } from './file-bytes.ts';
import { readFlacCuesheet } from './flac-cuesheet.ts';
import { readFlacMetadata, readOggMetadata, type StreamMetadata } from './flac-metadata.ts';
import { readId3Content, readInnerTag, readLeadingTags } from './id3-tags.ts';
import { readItunesText } from './itunes-text.ts';
import { locateMatroskaElement } from './locate-matroska-element.ts';
import { readMatroskaChapters } from './matroska-chapters.ts';
import { readNeroChapters, readTrackChapters } from './movie-chapters.ts';
import { MAX_CHAPTERS, type SourceChapters } from './source-chapters.ts';
import { readCueSheetComment, readVorbisChapters } from './vorbis-chapters.ts';

/** Undefined if there are none. `container` is the result of `sniff`. */
export async function readChapters(
  file: LocalFile,
  { container }: Pick<SniffedSource, 'container'>,
): Promise<SourceChapters | undefined> {
  await using bytes = await openFileBytes(file, container);
  for await (const { kind, chapters } of findChapters(bytes)) {
    const usable = chapters
      .filter(({ startSeconds }) => Number.isFinite(startSeconds) && startSeconds >= 0)
      .slice(0, MAX_CHAPTERS)
      .map(({ startSeconds, title }) => ({ startSeconds, title: cleanTitle(title) }));
    if (usable.length > 0) return { kind, chapters: usable };
  }
  return undefined;
}

/** The kinds in their order, including empty ones. */
async function* findChapters(bytes: FileBytes): AsyncGenerator<SourceChapters> {
  const { tags, endsAt } = await readLeadingTags(bytes);
  const innerTag = await readInnerTag(bytes, endsAt);
  const contents = [...tags, ...(innerTag === undefined ? [] : [innerTag])].map(readId3Content);
  for (const { chapters } of contents) yield { kind: 'id3', chapters };
  yield* containerChapters(bytes, endsAt);
  for (const { cueSheet } of contents) if (cueSheet !== undefined) yield cueSheetTag(cueSheet);
  const apeCueSheet = await readApeCueSheet(bytes);
  if (apeCueSheet !== undefined) yield cueSheetTag(apeCueSheet);
}

async function* containerChapters(bytes: FileBytes, start: number): AsyncGenerator<SourceChapters> {
  switch (bytes.container) {
    case 'mp4': {
      const moov = await findMoov(bytes, start);
      if (moov === undefined) return;
      yield { kind: 'movie-track', chapters: await readTrackChapters(bytes, moov) };
      yield { kind: 'chpl', chapters: readNeroChapters(moov) };
      const cueSheet = readItunesText(moov, 'cuesheet');
      if (cueSheet !== undefined) yield cueSheetTag(cueSheet);
      return;
    }
    case 'matroska': {
      const chapters = await locateMatroskaElement(bytes, start, CHAPTERS);
      if (chapters !== undefined) yield { kind: 'matroska', chapters: readMatroskaChapters(chapters) };
      const tags = await locateMatroskaElement(bytes, start, TAGS);
      const [cueSheet] = tags === undefined ? [] : readTags(tags, isCueSheet);
      if (cueSheet !== undefined) yield cueSheetTag(cueSheet.value);
      return;
    }
    case 'ogg':
      yield* streamChapters(await readOggMetadata(bytes, start));
      return;
    case 'flac':
      yield* streamChapters(await readFlacMetadata(bytes, start));
      return;
    default:
  }
}

function* streamChapters({ comments, cuesheets, sampleRateHz }: StreamMetadata): Generator<SourceChapters> {
  for (const list of comments) yield { kind: 'vorbis-comments', chapters: readVorbisChapters(list) };
  if (sampleRateHz !== undefined && sampleRateHz > 0) {
    for (const body of cuesheets)
      yield { kind: 'flac-cuesheet', chapters: readFlacCuesheet(body, sampleRateHz) };
  }
  for (const list of comments) {
    const text = readCueSheetComment(list);
    if (text !== undefined) yield cueSheetTag(text);
  }
}

function isCueSheet(name: string): boolean {
  return name.toUpperCase() === 'CUESHEET';
}

function cueSheetTag(text: string): SourceChapters {
  return { kind: 'cuesheet-tag', chapters: parseCueSheet(text) };
}
