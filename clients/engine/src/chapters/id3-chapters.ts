/**
 * Chapters in an ID3v2 tag (id3.org, ID3v2 Chapter Frame Addendum): CHAP frames, each with an identifier, and
 * CTOC frames that list identifiers of chapters and of further tables.
 *
 * The chapters are the topmost level that has more than one entry. If a table is one of several entries, it
 * stands for a part that begins with its earliest chapter. It does not matter whether a table is ordered: its
 * entries are taken in the order of its list, and cuts are ordered by time. Tables may refer to each other in
 * cycles; none is entered twice. If no table lists a chapter, all chapters count.
 */

import { type Id3Version, readFrames } from './id3-frames.ts';
import { MAX_CHAPTERS, MAX_TITLE_BYTES, type SourceChapter } from './source-chapters.ts';
import { decodeId3Text } from './text-decoding.ts';

interface Chapter extends SourceChapter {
  readonly type: 'chapter';
}

interface Table {
  readonly type: 'table';
  readonly isTopLevel: boolean;
  readonly entryIds: readonly string[];
  readonly title: string | undefined;
}

type Entry = Chapter | Table;

const CHAPTER_TIMES_BYTES = 16;
const NO_TIME = 0xffffffff;
const TOP_LEVEL_FLAG = 2;
/** For all tables together, because a tag has room for millions of identifiers. */
const MAX_NAMED = 5 * MAX_CHAPTERS;
/** Deeper tables have no beginning. */
const MAX_DEPTH = 32;

export interface ChapterCollector {
  add(frameId: 'CHAP' | 'CTOC', body: Buffer): void;
  chapters(): readonly SourceChapter[];
}

export function createChapterCollector(version: Id3Version): ChapterCollector {
  const entries = new Map<string, Entry>();
  let namedCount = 0;
  return {
    add(frameId, body) {
      const idEnd = body.indexOf(0);
      if (idEnd < 0 || entries.size >= 2 * MAX_CHAPTERS) return;
      const id = body.toString('latin1', 0, idEnd);
      if (entries.has(id)) return;
      const rest = body.subarray(idEnd + 1);
      const entry = frameId === 'CHAP' ? readChapter(rest, version) : readTable(rest, version);
      if (entry === undefined) return;
      namedCount += entry.type === 'table' ? entry.entryIds.length : 0;
      if (entry.type === 'chapter' || namedCount <= MAX_NAMED) entries.set(id, entry);
    },
    chapters: () => listChapters(entries).slice(0, MAX_CHAPTERS),
  };
}

/** Beginning and end in milliseconds, then as byte offsets, which are not used here. */
function readChapter(rest: Buffer, version: Id3Version): Chapter | undefined {
  if (rest.length < CHAPTER_TIMES_BYTES) return undefined;
  const startMs = rest.readUInt32BE(0);
  if (startMs === NO_TIME) return undefined;
  const title = readTitle(rest.subarray(CHAPTER_TIMES_BYTES), version);
  return { type: 'chapter', startSeconds: startMs / 1000, title };
}

function readTable(rest: Buffer, version: Id3Version): Table | undefined {
  if (rest.length < 2) return undefined;
  const entryCount = rest.readUInt8(1);
  const entryIds: string[] = [];
  let at = 2;
  while (entryIds.length < entryCount) {
    const end = rest.indexOf(0, at);
    if (end < 0) break;
    entryIds.push(rest.toString('latin1', at, end));
    at = end + 1;
  }
  const isTopLevel = (rest.readUInt8(0) & TOP_LEVEL_FLAG) !== 0;
  return { type: 'table', isTopLevel, entryIds, title: readTitle(rest.subarray(at), version) };
}

function readTitle(frames: Buffer, version: Id3Version): string | undefined {
  for (const { id, body } of readFrames(frames, version)) {
    if (id === 'TIT2') return decodeId3Text(body[0], body.subarray(1, 1 + MAX_TITLE_BYTES));
  }
  return undefined;
}

function listChapters(entries: ReadonlyMap<string, Entry>): readonly SourceChapter[] {
  const root = findRoot(entries);
  const listed = root === undefined ? [] : toChapters(topmostLevel(root, entries), entries);
  if (listed.length > 0) return listed;
  return [...entries.values()]
    .filter((entry) => entry.type === 'chapter')
    .map(({ startSeconds, title }) => ({ startSeconds, title }));
}

/** If no table is marked as the topmost, the topmost is one that no other table lists. */
function findRoot(entries: ReadonlyMap<string, Entry>): Table | undefined {
  const tables = [...entries].filter((entry): entry is [string, Table] => entry[1].type === 'table');
  const marked = tables.find(([, { isTopLevel }]) => isTopLevel);
  if (marked !== undefined) return marked[1];
  const named = new Set(tables.flatMap(([, { entryIds }]) => entryIds));
  return (tables.find(([id]) => !named.has(id)) ?? tables[0])?.[1];
}

function topmostLevel(root: Table, entries: ReadonlyMap<string, Entry>): readonly Entry[] {
  const entered = new Set<Entry>([root]);
  let level = entriesOf(root, entries);
  for (;;) {
    const [only, ...others] = level;
    if (only?.type !== 'table' || others.length > 0 || entered.has(only)) return level;
    entered.add(only);
    const below = entriesOf(only, entries);
    if (below.length === 0) return level;
    level = below;
  }
}

function entriesOf(table: Table, entries: ReadonlyMap<string, Entry>): readonly Entry[] {
  return table.entryIds.flatMap((id) => entries.get(id) ?? []);
}

function toChapters(level: readonly Entry[], entries: ReadonlyMap<string, Entry>): readonly SourceChapter[] {
  const earliest = new Map<Table, number | undefined>();

  function startOf(entry: Entry, depth: number): number | undefined {
    if (entry.type === 'chapter') return entry.startSeconds;
    if (earliest.has(entry) || depth > MAX_DEPTH) return earliest.get(entry);
    // A table that lists itself, directly or through others, does not count here.
    earliest.set(entry, undefined);
    const starts = entriesOf(entry, entries).flatMap((inner) => startOf(inner, depth + 1) ?? []);
    const start = starts.length === 0 ? undefined : Math.min(...starts);
    earliest.set(entry, start);
    return start;
  }

  return level.flatMap((entry) => {
    const startSeconds = startOf(entry, 0);
    return startSeconds === undefined ? [] : [{ startSeconds, title: entry.title }];
  });
}
