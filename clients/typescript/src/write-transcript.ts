/** A transcript as a file. */
import type { TranscriptLine } from './transcripts.ts';

export type TranscriptFormat = 'text' | 'srt' | 'vtt' | 'json';

export function writeTranscript(lines: readonly TranscriptLine[], format: TranscriptFormat): string {
  switch (format) {
    case 'text':
      return lines.map(({ text }) => `${text}\n`).join('');
    case 'json':
      return `${JSON.stringify(lines, null, 2)}\n`;
    case 'srt':
      return cuesOf(lines, ',')
        .map(({ times, text }, index) => `${index + 1}\n${times}\n${text}\n`)
        .join('\n');
    case 'vtt':
      // A cue ends at an empty line, and text is markup.
      return [
        'WEBVTT\n',
        ...cuesOf(lines, '.').map(({ times, text }) => `${times}\n${escaped(text)}\n`),
      ].join('\n');
    default:
      return format satisfies never;
  }
}

function cuesOf(lines: readonly TranscriptLine[], comma: string) {
  return lines.map(({ start, end, text }) => ({
    times: `${clock(start, comma)} --> ${clock(Math.max(start, end), comma)}`,
    text,
  }));
}

/** `00:01:02,003` */
function clock(seconds: number, comma: string): string {
  const milliseconds = Math.round(seconds * 1_000);
  const part = (unit: number, size: number, width: number) =>
    String(Math.floor(milliseconds / unit) % size).padStart(width, '0');
  const hours = part(3_600_000, Number.MAX_SAFE_INTEGER, 2);
  return `${hours}:${part(60_000, 60, 2)}:${part(1_000, 60, 2)}${comma}${part(1, 1_000, 3)}`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
