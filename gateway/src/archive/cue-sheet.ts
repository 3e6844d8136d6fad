/**
 * A cue sheet for the files of an archive, one file per track, for players and editors that open all segments
 * as one.
 *
 * The format (CDRWIN's) has no escapes, and two digits for a track. So there is no sheet if a file name
 * contains a quotation mark, or for more than 99 segments. There is none either if segments overlap or leave
 * gaps, because a sheet implies that each track follows the one before.
 */
import type { OutputFormat } from '@audiosplit/proto/vocabulary';

export interface CueSegment {
  readonly fileName: string;
  readonly title?: string | undefined;
  readonly startMs: number;
  readonly durationMs: number;
}

const MAX_TRACKS = 99;
/** Starts and lengths are rounded separately. */
const ROUNDING_MS = 1;

/** Undefined if the segments cannot be described by a sheet. */
export function createCueSheet(
  segments: readonly CueSegment[],
  format: OutputFormat | undefined,
): string | undefined {
  const isPossible =
    segments.length > 0 &&
    segments.length <= MAX_TRACKS &&
    segments.every(({ fileName }) => !fileName.includes('"')) &&
    segments.every((segment, n) => n === 0 || follows(segments[n - 1], segment));
  if (!isPossible) return undefined;
  return segments.map((segment, n) => trackOf(segment, n + 1, format)).join('');
}

function follows(before: CueSegment | undefined, { startMs }: CueSegment): boolean {
  return before !== undefined && Math.abs(before.startMs + before.durationMs - startMs) <= ROUNDING_MS;
}

function trackOf({ fileName, title }: CueSegment, number: number, format: OutputFormat | undefined): string {
  return [
    `FILE "${fileName}" ${format === 'mp3' ? 'MP3' : 'WAVE'}`,
    `  TRACK ${String(number).padStart(2, '0')} AUDIO`,
    `    TITLE "${textOf(title ?? fileName.replace(/\.[^.]*$/, ''))}"`,
    '    INDEX 01 00:00:00',
    '',
  ].join('\r\n');
}

function textOf(title: string): string {
  return title.replaceAll('"', "'").replace(/\p{Cc}+/gu, ' ');
}
