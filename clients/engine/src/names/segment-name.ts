/**
 * The names under which segments are offered: from a template of the request, otherwise from the source's
 * name and the index.
 *
 * A name from a template is safe on every common file system. It is truncated to 200 bytes between two
 * user-perceived characters; the part that makes it unique, and the extension, stay complete. Names are
 * compared as case-insensitive file systems compare them: in Unicode's composed form (UAX 15), with case
 * folded. Each truncated stem has its own counter, so thousands of equal names need only one look-up each.
 */
import { type FileNamePlaceholder, fillFileNameTemplate } from '@audiosplit/cuts/file-name-template';

export interface NamedSegment {
  readonly index: number;
  readonly title?: string;
  readonly startMs: number;
  readonly extension: string;
}

/** Leaves room for a prefix that users add: file systems allow 255. */
const MAX_NAME_BYTES = 200;
/**
 * Path separators, control characters, those that change the direction of text, and those that Windows
 * forbids.
 */
const REFUSED = /[/\\<>:"|?*\p{Cc}\p{Bidi_Control}]/gu;
/** Windows drops them. */
const TRAILING = /[. ]+$/;
/** Device names on Windows, with any extension, even after spaces. */
const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(?= *(?:\.|$))/i;
/** The name of another file in the archive of a job. */
const MANIFEST_NAME = 'manifest.json';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** `<base name of the source>-<index>.<extension>`; the index is padded so that names sort in order. */
export function segmentFileName(
  sourceFileName: string,
  index: number,
  count: number,
  extension: string,
): string {
  return `${baseName(sourceFileName)}-${paddedIndex(index, count)}.${extension}`;
}

/** The names of all segments of a job, in order. Without a template they are those of `segmentFileName`. */
export function segmentFileNames(
  template: string | undefined,
  sourceFileName: string,
  segments: readonly NamedSegment[],
): string[] {
  return segments.map(createSegmentNames(template, sourceFileName, segments.length));
}

/** Returns a function that names the segments of one job; call it for each of them in order. */
export function createSegmentNames(
  template: string | undefined,
  sourceFileName: string,
  count: number,
): (segment: NamedSegment) => string {
  if (template === undefined)
    return ({ index, extension }) => segmentFileName(sourceFileName, index, count, extension);
  const base = baseName(sourceFileName);
  const takeName = createNameRegister([MANIFEST_NAME, `${base}.cue`]);
  return (segment) => {
    const { index, title = '', startMs, extension } = segment;
    const values: Readonly<Record<FileNamePlaceholder, string>> = {
      name: base,
      index: paddedIndex(index, count),
      number: String(index + 1).padStart(String(count).length, '0'),
      count: String(count),
      title,
      start: clockTime(startMs),
    };
    const filled = fillFileNameTemplate(template, values);
    if (filled !== '') return takeName(safeStem(filled), '', extension);
    const tail = `-${values.index}`;
    return takeName(safeStem(base + tail).slice(0, -tail.length), tail, extension);
  };
}

function baseName(fileName: string): string {
  const dot = fileName.lastIndexOf('.');
  return dot > 0 ? fileName.slice(0, dot) : fileName;
}

function paddedIndex(index: number, count: number): string {
  return String(index).padStart(String(Math.max(count - 1, 0)).length, '0');
}

/** `01-02-03.456`, because a name must not contain a colon. */
function clockTime(ms: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  const rest = String(ms % 1000).padStart(3, '0');
  return `${two(ms / 3_600_000)}-${two((ms / 60_000) % 60)}-${two((ms / 1000) % 60)}.${rest}`;
}

function safeStem(text: string): string {
  return withoutTrailing(text.toWellFormed().replaceAll(REFUSED, '_')).replace(DEVICE_NAME, '_$&');
}

function withoutTrailing(text: string): string {
  return text.replace(TRAILING, (trailing) => '_'.repeat(trailing.length));
}

/** Gives each name out once; an equal name gets ` (2)` after its tail, and so on. */
function createNameRegister(taken: readonly string[]) {
  const keys = new Set(taken.map(foldCase));
  /** The first number that may be free, by the text before and after it. */
  const nextNumbers = new Map<string, number>();

  function isFree(name: string): boolean {
    const key = foldCase(name);
    if (keys.has(key)) return false;
    keys.add(key);
    return true;
  }

  return (stem: string, tail: string, extension: string): string => {
    const plain = fitName(stem, `${tail}.${extension}`);
    if (isFree(plain)) return plain;
    for (let number = 2; ; ) {
      const ending = ` (${number}).${extension}`;
      const name = fitName(stem, tail + ending);
      const counter = foldCase(`${name.slice(0, -ending.length)}\0${extension}`);
      const next = nextNumbers.get(counter) ?? 2;
      if (next > number) {
        // A longer number may shorten the stem further, which then has another counter.
        number = next;
        continue;
      }
      nextNumbers.set(counter, number + 1);
      if (isFree(name)) return name;
      number += 1;
    }
  };
}

/** The ending, and as much of the stem as fits. */
function fitName(stem: string, ending: string): string {
  const roomBytes = MAX_NAME_BYTES - Buffer.byteLength(ending);
  if (Buffer.byteLength(stem) <= roomBytes) return stem + ending;
  let sizeBytes = 0;
  let end = 0;
  for (const character of stem) {
    sizeBytes += Buffer.byteLength(character);
    if (sizeBytes > roomBytes) break;
    end += character.length;
  }
  // One user-perceived character may be longer than a name.
  const characterStart = graphemes.segment(stem).containing(end)?.index ?? end;
  return withoutTrailing(stem.slice(0, characterStart === 0 ? end : characterStart)) + ending;
}

/** In both directions, because some letters have a counterpart in only one: final sigma, sharp s. */
function foldCase(name: string): string {
  return name.normalize('NFC').toLowerCase().toUpperCase().normalize('NFC');
}
