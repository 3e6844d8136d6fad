/**
 * Chapters of an MP4: a text track that another track refers to by a reference of type `chap` (QuickTime File
 * Format, chapter lists), where the audio track's reference takes precedence; and Nero's `chpl` box, which
 * stores the number of its chapters in one byte or in four. An edit list may shift the text track against the
 * movie.
 */

import { isAudioTrack } from '../convert/trim/movie-index.ts';
import { findBox, findBoxes } from '../copy/m4a/boxes.ts';
import type { FileBytes } from './file-bytes.ts';
import { MAX_CHAPTERS, type SourceChapter } from './source-chapters.ts';
import { listTextSamples, readTexts } from './text-samples.ts';

/** Text tracks have one of three handlers. A track with the chapters' pictures may be referred to as well. */
const TEXT_HANDLERS: ReadonlySet<string> = new Set(['text', 'sbtl', 'subt']);
const MAX_REFERENCES = 16;
/** Further entries do not shift the track. */
const MAX_EDITS = 64;
const EMPTY_EDIT = -1;
/** `chpl` counts in units of 100 nanoseconds. */
const CHPL_TICKS_PER_SECOND = 1e7;

export async function readTrackChapters(bytes: FileBytes, moov: Buffer): Promise<readonly SourceChapter[]> {
  for (const track of chapterTracks(moov)) {
    const tables = findBox(track, 'mdia', 'minf', 'stbl');
    const toSeconds = readTimeScale(moov, track);
    if (tables === undefined || toSeconds === undefined) continue;
    const samples = listTextSamples(tables);
    const texts = await readTexts(bytes, samples);
    const chapters = samples.map(({ startTicks }, index) => {
      return { startSeconds: toSeconds(startTicks), title: texts[index] };
    });
    if (chapters.length > 0) return chapters;
  }
  return [];
}

function chapterTracks(moov: Buffer): readonly Buffer[] {
  const tracks = findBoxes(moov, 'trak');
  const byId = new Map(tracks.map((track) => [readTrackId(track), track]));
  const naming = [...tracks].sort((one, other) => Number(isAudioTrack(other)) - Number(isAudioTrack(one)));
  const ids = new Set<number>();
  for (const track of naming) {
    const reference = findBox(track, 'tref', 'chap') ?? Buffer.alloc(0);
    for (let at = 0; at + 4 <= reference.length && ids.size < MAX_REFERENCES; at += 4)
      ids.add(reference.readUInt32BE(at));
  }
  return [...ids].flatMap((id) => byId.get(id) ?? []).filter(isTextTrack);
}

function readTrackId(track: Buffer): number | undefined {
  const header = findBox(track, 'tkhd');
  const at = header?.[0] === 1 ? 20 : 12;
  return header === undefined || header.length < at + 4 ? undefined : header.readUInt32BE(at);
}

function isTextTrack(track: Buffer): boolean {
  return TEXT_HANDLERS.has(findBox(track, 'mdia', 'hdlr')?.toString('latin1', 8, 12) ?? '');
}

/** From the track's ticks to the movie's seconds. */
function readTimeScale(moov: Buffer, track: Buffer): ((ticks: number) => number) | undefined {
  const ticksPerSecond = readTicksPerSecond(findBox(track, 'mdia', 'mdhd'));
  if (ticksPerSecond === undefined) return undefined;
  const { delayTicks, skippedTicks } = readShift(findBox(track, 'edts', 'elst'));
  const delaySeconds = delayTicks / (readTicksPerSecond(findBox(moov, 'mvhd')) ?? Number.POSITIVE_INFINITY);
  // An entry that begins before the movie is cut at the movie's beginning.
  return (ticks) => Math.max(0, (ticks - skippedTicks) / ticksPerSecond + delaySeconds);
}

/** Of `mvhd` and `mdhd`, which have it at the same position. */
function readTicksPerSecond(header: Buffer | undefined): number | undefined {
  const at = header?.[0] === 1 ? 20 : 12;
  if (header === undefined || header.length < at + 4) return undefined;
  return header.readUInt32BE(at) || undefined;
}

/**
 * Empty edits, in the movie's ticks, delay the track. The first other edit states which part of the track
 * comes first.
 */
function readShift(edits: Buffer | undefined): {
  readonly delayTicks: number;
  readonly skippedTicks: number;
} {
  let delayTicks = 0;
  if (edits === undefined || edits.length < 8) return { delayTicks, skippedTicks: 0 };
  const isLong = edits[0] === 1;
  const entryBytes = isLong ? 20 : 12;
  const entryCount = Math.min(edits.readUInt32BE(4), Math.floor((edits.length - 8) / entryBytes), MAX_EDITS);
  for (let entry = 0; entry < entryCount; entry++) {
    const at = 8 + entry * entryBytes;
    const mediaTime = isLong ? Number(edits.readBigInt64BE(at + 8)) : edits.readInt32BE(at + 4);
    if (mediaTime !== EMPTY_EDIT) return { delayTicks, skippedTicks: Math.max(0, mediaTime) };
    delayTicks += isLong ? Number(edits.readBigUInt64BE(at)) : edits.readUInt32BE(at);
  }
  return { delayTicks, skippedTicks: 0 };
}

/** Each entry consists of a time, a title's length, and the title. */
export function readNeroChapters(moov: Buffer): readonly SourceChapter[] {
  const box = findBox(moov, 'udta', 'chpl');
  if (box === undefined) return [];
  const hasWideCount = (box[0] ?? 0) > 0;
  const firstAt = hasWideCount ? 9 : 5;
  if (box.length < firstAt) return [];
  const count = Math.min(hasWideCount ? box.readUInt32BE(5) : box.readUInt8(4), MAX_CHAPTERS);
  const chapters: SourceChapter[] = [];
  for (let at = firstAt; chapters.length < count && at + 9 <= box.length; ) {
    const titleAt = at + 9;
    const end = titleAt + box.readUInt8(at + 8);
    const startSeconds = Number(box.readBigUInt64BE(at)) / CHPL_TICKS_PER_SECOND;
    chapters.push({ startSeconds, title: box.toString('utf8', titleAt, end) });
    at = end;
  }
  return chapters;
}
