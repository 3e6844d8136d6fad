/**
 * Cue sheets as stored in tags: the tracks' numbers, titles and beginnings, one command per line (CDRWIN's
 * manual, appendix A). `INDEX 01` is the beginning of a track, in minutes, seconds and frames (75 per
 * second).
 *
 * A sheet of several files gives positions in those files, not in the source, so it has no chapters.
 */
import { MAX_CHAPTERS, type SourceChapter } from './source-chapters.ts';

const FRAMES_PER_SECOND = 75;
/** A title and its command; longer lines are truncated. */
const MAX_LINE_CHARACTERS = 2_000;
const LINE = /[^\r\n]+/g;
const FILE = /^FILE\s/i;
const TRACK = /^TRACK\s+\d{1,4}(?:\s+(\S+))?/i;
const TITLE = /^TITLE\s+(\S.*)$/i;
const INDEX = /^INDEX\s+0*1\s+(\d{1,6}):(\d{1,2}):(\d{1,2})/i;

export function parseCueSheet(text: string): readonly SourceChapter[] {
  const chapters: SourceChapter[] = [];
  let fileCount = 0;
  let isAudioTrack = false;
  let title: string | undefined;
  for (const [whole] of text.matchAll(LINE)) {
    const line = whole.slice(0, MAX_LINE_CHARACTERS).trim();
    const track = TRACK.exec(line);
    if (track !== null) {
      if (chapters.length === MAX_CHAPTERS) break;
      isAudioTrack = (track[1] ?? 'AUDIO').toUpperCase() === 'AUDIO';
      title = undefined;
    } else if (FILE.test(line)) {
      fileCount += 1;
      if (fileCount > 1) return [];
    } else if (isAudioTrack) {
      title = unquoted(TITLE.exec(line)?.[1]) ?? title;
      const startSeconds = readStart(line);
      if (startSeconds === undefined) continue;
      chapters.push({ startSeconds, title });
      isAudioTrack = false;
    }
  }
  return chapters;
}

function readStart(line: string): number | undefined {
  const match = INDEX.exec(line);
  if (match === null) return undefined;
  return Number(match[1]) * 60 + Number(match[2]) + Number(match[3]) / FRAMES_PER_SECOND;
}

function unquoted(value: string | undefined): string | undefined {
  if (value?.startsWith('"') !== true) return value;
  return value.endsWith('"') && value.length > 1 ? value.slice(1, -1) : value.slice(1);
}
