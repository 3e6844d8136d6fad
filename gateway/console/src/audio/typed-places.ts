/**
 * Times that are typed one a line: ranges (`1:00-2:30 Title`, or `1m-` up to the end), points to cut at (`10:00`), and
 * chapters (`12:30 Title`). The rules are the API's, so that what is accepted here is not refused there.
 */
import { parseTime } from '../format/typed-time.ts';
import type { Cut, Parsed } from './cut.ts';

const MAX_RANGES = 1_000;
const MAX_POINTS = 9_999;
const MAX_TITLE_CHARACTERS = 500;

const RANGE = /^([\d.][\d:.hms]*)\s*[-–—]\s*([\d.][\d:.hms]*)?(?:\s+(\S.*))?$/i;
const CHAPTER = /^([\d.][\d:.hms]*)(?:\s+(?:[-–—]\s*)?(\S.*))?$/i;

type Range = NonNullable<Cut['ranges']>[number];
type Chapter = NonNullable<Cut['chapters']>[number];
export type Places = Pick<Cut, 'ranges' | 'splitPoints'>;

interface Line {
  readonly number: number;
  readonly text: string;
}

export function parsePlaces(text: string): Parsed<Places> {
  const lines = linesOf(text);
  const [first] = lines;
  if (first === undefined) return { problem: '' };
  const isRange = ({ text }: Line) => /[-–—]/.test(text);
  const stranger = lines.find((line) => isRange(line) !== isRange(first));
  if (stranger !== undefined) return wrong(stranger, 'give only ranges, or only points to cut at');
  if (isRange(first)) {
    const ranges = parseAll(lines, MAX_RANGES, parseRange);
    return ranges.value === undefined ? ranges : { value: { ranges: ranges.value } };
  }
  const points = parseAll(lines, MAX_POINTS, parsePoint);
  return points.value === undefined ? points : { value: { splitPoints: points.value } };
}

/** Without a line the value is undefined: the source's own chapters. */
export function parseChapters(text: string): Parsed<Chapter[] | undefined> {
  const lines = linesOf(text);
  return lines.length === 0 ? { value: undefined } : parseAll(lines, MAX_POINTS, parseChapter);
}

function parseRange(line: Line): Parsed<Range> {
  const [, startText = '', endText, title] = RANGE.exec(line.text) ?? [];
  const start = parseTime(startText);
  const end = endText === undefined ? undefined : parseTime(endText);
  if (start === undefined || (endText !== undefined && end === undefined)) {
    return wrong(line, 'give a start and an end, as in 1:00-2:30');
  }
  if (end !== undefined && end <= start) return wrong(line, 'the end must be after the start');
  if (isTooLong(title)) return wrong(line, `a title has at most ${MAX_TITLE_CHARACTERS} characters`);
  return {
    value: { start, ...(end === undefined ? {} : { end }), ...(title === undefined ? {} : { title }) },
  };
}

function parsePoint(line: Line, before: number | undefined): Parsed<number> {
  const point = parseTime(line.text);
  if (point === undefined) return wrong(line, 'give a time, as in 10:00, or a range, as in 1:00-2:30');
  if (point > (before ?? 0)) return { value: point };
  return wrong(line, before === undefined ? 'the first cut must be after 0:00' : 'times must increase');
}

function parseChapter(line: Line, before: Chapter | undefined): Parsed<Chapter> {
  const [, startText = '', title] = CHAPTER.exec(line.text) ?? [];
  const startTime = parseTime(startText);
  if (startTime === undefined) return wrong(line, 'give a time and a title, as in 12:30 The interview');
  if (before !== undefined && startTime < Number(before.startTime)) return wrong(line, 'times must increase');
  if (isTooLong(title)) return wrong(line, `a title has at most ${MAX_TITLE_CHARACTERS} characters`);
  return { value: { startTime, ...(title === undefined ? {} : { title }) } };
}

function parseAll<T>(
  lines: readonly Line[],
  most: number,
  parse: (line: Line, before: T | undefined) => Parsed<T>,
): Parsed<T[]> {
  if (lines.length > most) return { problem: `Give at most ${most.toLocaleString('en')} lines.` };
  const values: T[] = [];
  for (const line of lines) {
    const parsed = parse(line, values.at(-1));
    if (parsed.problem !== undefined) return parsed;
    values.push(parsed.value);
  }
  return { value: values };
}

function linesOf(text: string): Line[] {
  return text
    .split('\n')
    .map((line, index) => ({ number: index + 1, text: line.trim() }))
    .filter((line) => line.text !== '');
}

function isTooLong(title: string | undefined): boolean {
  return title !== undefined && title.length > MAX_TITLE_CHARACTERS;
}

function wrong({ number }: Line, what: string): { readonly problem: string } {
  return { problem: `Line ${number}: ${what}.` };
}
