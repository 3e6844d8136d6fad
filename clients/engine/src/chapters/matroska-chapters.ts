/**
 * Matroska's chapters (RFC 9559 5.1.7 and 20.2). If there are several editions, the one marked as default is
 * used, otherwise the first that is not hidden. Chapters may be nested: the topmost level with more than one
 * is used, or the topmost level if none has more than one.
 *
 * Hidden chapters are not for users, and disabled ones are not played, so neither they nor the chapters
 * inside them make a cut. If an edition links to chapters of other files, their times refer to those files.
 */
import { readElements, readUnsigned } from '../copy/matroska/ebml.ts';
import { MAX_CHAPTERS, MAX_TITLE_BYTES, type SourceChapter } from './source-chapters.ts';

const EDITION_ENTRY = 0x45b9;
const EDITION_FLAG_HIDDEN = 0x45bd;
const EDITION_FLAG_DEFAULT = 0x45db;
const CHAPTER_ATOM = 0xb6;
const CHAPTER_TIME_START = 0x91;
const CHAPTER_FLAG_HIDDEN = 0x98;
const CHAPTER_FLAG_ENABLED = 0x4598;
const CHAPTER_SEGMENT_UUID = 0x6e67;
const CHAPTER_DISPLAY = 0x80;
const CHAP_STRING = 0x85;
const NANOSECONDS = 1e9;
const MAX_TIME_BYTES = 8;
const MAX_DEPTH = 32;
const NOTHING: Buffer = Buffer.alloc(0);

interface Atom extends SourceChapter {
  readonly body: Buffer;
}

/** `body` is that of the Chapters element. */
export function readMatroskaChapters(body: Buffer): readonly SourceChapter[] {
  const edition = findEdition(body);
  const topmost = edition === undefined ? [] : readAtoms(edition);
  let level = topmost;
  for (let depth = 0; depth < MAX_DEPTH && level.length === 1; depth++) level = readAtoms(level[0]?.body);
  return (level.length > 1 ? level : topmost).map(({ startSeconds, title }) => ({ startSeconds, title }));
}

function findEdition(chapters: Buffer): Buffer | undefined {
  let first: Buffer | undefined;
  let firstShown: Buffer | undefined;
  for (const { id, body } of readElements(chapters)) {
    if (id !== EDITION_ENTRY) continue;
    const { isDefault, isHidden } = readEditionFlags(body);
    if (isDefault) return body;
    first ??= body;
    if (!isHidden) firstShown ??= body;
  }
  return firstShown ?? first;
}

function readEditionFlags(edition: Buffer): { readonly isDefault: boolean; readonly isHidden: boolean } {
  let isDefault = false;
  let isHidden = false;
  for (const { id, body } of readElements(edition)) {
    if (id === EDITION_FLAG_DEFAULT) isDefault = readUnsigned(body) === 1;
    else if (id === EDITION_FLAG_HIDDEN) isHidden = readUnsigned(body) === 1;
  }
  return { isDefault, isHidden };
}

/** The chapters directly inside `parent`. */
function readAtoms(parent = NOTHING): readonly Atom[] {
  const atoms: Atom[] = [];
  for (const { id, body } of readElements(parent)) {
    const atom = id === CHAPTER_ATOM ? readAtom(body) : undefined;
    if (atom !== undefined) atoms.push(atom);
    if (atoms.length === MAX_CHAPTERS) break;
  }
  return atoms;
}

/** Undefined if it makes no cut. */
function readAtom(atom: Buffer): Atom | undefined {
  let startSeconds: number | undefined;
  let title: string | undefined;
  for (const { id, body } of readElements(atom)) {
    switch (id) {
      case CHAPTER_TIME_START:
        startSeconds = readTime(body);
        break;
      case CHAPTER_FLAG_HIDDEN:
        if (readUnsigned(body) === 1) return undefined;
        break;
      case CHAPTER_FLAG_ENABLED:
        if (readUnsigned(body) === 0) return undefined;
        break;
      case CHAPTER_SEGMENT_UUID:
        return undefined;
      case CHAPTER_DISPLAY:
        title ??= readDisplay(body);
        break;
      default:
    }
  }
  return startSeconds === undefined ? undefined : { startSeconds, title, body: atom };
}

/** If there are titles in several languages, the first is used. */
function readDisplay(display: Buffer): string | undefined {
  for (const { id, body } of readElements(display)) {
    if (id !== CHAP_STRING) continue;
    const [text = ''] = body.toString('utf8', 0, MAX_TITLE_BYTES).split('\0', 1);
    return text;
  }
  return undefined;
}

function readTime(body: Buffer): number | undefined {
  if (body.length > MAX_TIME_BYTES) return undefined;
  return body.reduce((value, byte) => value * 256 + byte, 0) / NANOSECONDS;
}
