/** One transcript of a recording, from those of its segments. */
import {
  readTranscript,
  type SpokenLine,
  type TranscriptAnswer,
  type TranscriptLine,
} from './transcripts.ts';
import type { Segment } from './types.ts';

/** Of what stands before a seam. */
const MAX_COMPARED_WORDS = 100;

type Piece = Pick<Segment, 'startTime' | 'contentStart' | 'endTime'>;

/**
 * Lines with their times in the recording, from one transcript for each segment, in the order of the segments. What lies in
 * an overlap was transcribed twice: it is left out of the later segment, by its `contentStart` and by the words. Throws
 * TypeError where there are more of the one than of the other.
 */
export function stitch(
  segments: readonly Piece[],
  transcripts: readonly TranscriptAnswer[],
): TranscriptLine[] {
  if (segments.length !== transcripts.length)
    throw new TypeError(`${segments.length} segments have ${transcripts.length} transcripts`);
  const stitched: TranscriptLine[] = [];
  for (const [index, { startTime, contentStart = startTime, endTime }] of segments.entries()) {
    for (const line of readTranscript(transcripts[index] ?? [], endTime - startTime)) {
      const own = withoutOverlap(moved(line, startTime), contentStart, stitched);
      if (own === undefined) continue;
      const text = wordsOf(own.text).join(' ');
      if (text !== '') stitched.push({ start: toMillisecond(own.start), end: toMillisecond(own.end), text });
    }
  }
  return stitched;
}

function moved({ words = [], ...line }: SpokenLine, by: number): SpokenLine {
  const move = ({ start, end, text }: TranscriptLine) => ({ start: start + by, end: end + by, text });
  return { ...move(line), words: words.map(move) };
}

/**
 * Of a line across the cut: the words whose middle lies behind it, where they have times. Without times, what does not repeat
 * the end of the lines before; and where it repeats nothing, all or none of it by its middle.
 */
function withoutOverlap(
  line: SpokenLine,
  contentStart: number,
  before: readonly TranscriptLine[],
): TranscriptLine | undefined {
  if (line.start >= contentStart) return line;
  if (line.end <= contentStart) return undefined;
  const { words: timed = [] } = line;
  if (timed.length > 0) {
    const own = timed.filter((word) => middleOf(word) >= contentStart);
    return rest(own.map(({ text }) => text));
  }
  const words = wordsOf(line.text);
  const repeated = countRepeated(before, words);
  if (repeated === 0) return middleOf(line) >= contentStart ? line : undefined;
  return rest(words.slice(repeated));

  function rest(words: readonly string[]): TranscriptLine {
    return { start: contentStart, end: line.end, text: words.join(' ') };
  }
}

/** With how many of the words the lines before have ended. Case and punctuation do not count. */
function countRepeated(before: readonly TranscriptLine[], words: readonly string[]): number {
  const last: string[] = [];
  for (let index = before.length - 1; index >= 0 && last.length < MAX_COMPARED_WORDS; index--)
    last.unshift(...wordsOf(before[index]?.text ?? '').map(bare));
  const first = words.map(bare);
  for (let count = Math.min(last.length, first.length); count > 0; count--) {
    const tail = last.slice(-count);
    if (tail.every((word, index) => word === first[index])) return count;
  }
  return 0;
}

function bare(word: string): string {
  return word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '');
}

function middleOf({ start, end }: TranscriptLine): number {
  return (start + end) / 2;
}

function toMillisecond(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}
