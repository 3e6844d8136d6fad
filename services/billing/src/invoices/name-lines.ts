/**
 * Divides a name into lines by UAX #14 (line breaks), and each line into runs by UAX #9 (directions). Runs
 * are in visual order, from left to right.
 */
import bidiFactory from 'bidi-js';
import LineBreaker from 'linebreak';

/** A run of characters with one font and one direction. */
export interface NameRun {
  /** In visual order, but Arabic and Hebrew in reading order: fontkit reverses these scripts itself. */
  readonly text: string;
  readonly file: string;
}

/** The typings describe the ES module; Node loads the CommonJS module. */
const bidi = (bidiFactory as unknown as typeof bidiFactory.default)();
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
const TURNED_BY_FONTKIT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;

/** `files`: the font of each UTF-16 unit of the text. */
export function layOutName(
  text: string,
  files: readonly string[],
  { width, widthOf }: { readonly width: number; readonly widthOf: (run: NameRun) => number },
): NameRun[][] {
  const embedding = bidi.getEmbeddingLevels(text);
  const runsOf = (start: number, end: number) => {
    const last = start + text.slice(start, end).trimEnd().length;
    const order = bidi.getReorderedIndices(text, embedding, start, last - 1).slice(start, last);
    return joinRuns(
      order.map((index) => ({
        character: text.charAt(index),
        file: files[index] ?? '',
        isTurned: ((embedding.levels[index] ?? 0) & 1) === 1,
      })),
    );
  };
  const fits = (start: number, end: number) =>
    runsOf(start, end).reduce((sum, run) => sum + widthOf(run), 0) <= width;
  return breakLines(text, fits).map(([start, end]) => runsOf(start, end));
}

interface SeenCharacter {
  readonly character: string;
  readonly file: string;
  /** Part of a text from right to left. */
  readonly isTurned: boolean;
}

function joinRuns(seen: readonly SeenCharacter[]): NameRun[] {
  const runs: { text: string; file: string; isTurned: boolean }[] = [];
  for (const { character, file, isTurned } of seen) {
    const last = runs.at(-1);
    const drawn = (isTurned ? bidi.getMirroredCharacter(character) : null) ?? character;
    if (last?.file === file && last.isTurned === isTurned) last.text += drawn;
    else runs.push({ text: drawn, file, isTurned });
  }
  return runs.map(({ text, file }) => ({
    text: TURNED_BY_FONTKIT.test(text) ? Array.from(text).reverse().join('') : text,
    file,
  }));
}

/** The start and end of each line. A word that is wider than a line is divided. */
function breakLines(text: string, fits: (start: number, end: number) => boolean): [number, number][] {
  const lines: [number, number][] = [];
  const betweenWords = wordEnds(text);
  const withinWords = Array.from(graphemes.segment(text), ({ index, segment }) => index + segment.length);
  let start = 0;
  while (start < text.length) {
    const lastThatFits = (ends: readonly number[]) => {
      const ahead = ends.filter((end) => end > start);
      const tooFar = ahead.findIndex((end) => !fits(start, end));
      return tooFar === -1 ? ahead.at(-1) : ahead[tooFar - 1];
    };
    const oneGrapheme = withinWords.find((end) => end > start) ?? text.length;
    const end = lastThatFits(betweenWords) ?? lastThatFits(withinWords) ?? oneGrapheme;
    lines.push([start, end]);
    start = end;
  }
  return lines;
}

function wordEnds(text: string): number[] {
  const breaker = new LineBreaker(text);
  const ends: number[] = [];
  for (let next = breaker.nextBreak(); next !== null; next = breaker.nextBreak()) ends.push(next.position);
  return ends;
}
