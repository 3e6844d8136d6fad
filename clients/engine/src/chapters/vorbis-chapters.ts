/**
 * Chapters in Vorbis comments (Xiph's wiki, Chapter Extension): `CHAPTER001=00:01:30.000` is the beginning of
 * a chapter, `CHAPTER001NAME=…` its name. The number determines the order.
 */
import { MAX_CHAPTERS, MAX_TITLE_BYTES, type SourceChapter } from './source-chapters.ts';

interface Comment {
  /** In upper case. */
  readonly name: string;
  readonly value: Buffer;
}

const MAX_NAME_BYTES = 64;
const NAME = /^CHAPTER(\d{2,5})(NAME)?$/;
const TIME = /^\s*(\d{1,4}):(\d{1,2}):(\d{1,2}(?:[.,]\d{1,9})?)\s*$/;
const MAX_TIME_BYTES = 40;

/** The entries of a comment list (Vorbis I section 5.2.1) up to the first that does not fit. */
export function* readComments(list: Buffer): Generator<Comment> {
  let at = 0;
  function readText(): Buffer | undefined {
    if (at + 4 > list.length) return undefined;
    const start = at + 4;
    const end = start + list.readUInt32LE(at);
    if (end > list.length) return undefined;
    at = end;
    return list.subarray(start, end);
  }
  if (readText() === undefined || at + 4 > list.length) return;
  const count = list.readUInt32LE(at);
  at += 4;
  for (let index = 0; index < count; index++) {
    const entry = readText();
    if (entry === undefined) return;
    const nameEnd = entry.subarray(0, MAX_NAME_BYTES).indexOf('=');
    if (nameEnd < 0) continue;
    const name = entry.toString('latin1', 0, nameEnd).toUpperCase();
    yield { name, value: entry.subarray(nameEnd + 1) };
  }
}

export function readVorbisChapters(list: Buffer): readonly SourceChapter[] {
  const starts = new Map<number, number>();
  const titles = new Map<number, string>();
  for (const { name, value } of readComments(list)) {
    const match = NAME.exec(name);
    if (match === null) continue;
    const number = Number(match[1]);
    if (match[2] !== undefined) {
      if (titles.size < MAX_CHAPTERS) titles.set(number, value.toString('utf8', 0, MAX_TITLE_BYTES));
      continue;
    }
    const startSeconds = readTime(value.toString('latin1', 0, MAX_TIME_BYTES));
    if (startSeconds !== undefined && starts.size < MAX_CHAPTERS) starts.set(number, startSeconds);
  }
  return [...starts]
    .sort(([one], [other]) => one - other)
    .map(([number, startSeconds]) => ({ startSeconds, title: titles.get(number) }));
}

/** The text of the first `CUESHEET` comment. */
export function readCueSheetComment(list: Buffer): string | undefined {
  for (const { name, value } of readComments(list)) if (name === 'CUESHEET') return value.toString();
  return undefined;
}

function readTime(text: string): number | undefined {
  const match = TIME.exec(text);
  if (match === null) return undefined;
  const seconds = Number(match[3]?.replace(',', '.'));
  return Number(match[1]) * 3_600 + Number(match[2]) * 60 + seconds;
}
