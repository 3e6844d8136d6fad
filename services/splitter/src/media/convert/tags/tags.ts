/** The source's tags, as far as segments carry them. */
import { MAX_SEGMENTS } from '../../cuts/cut.ts';

const CARRIED = new Set([
  'title',
  'artist',
  'album',
  'album_artist',
  'composer',
  'genre',
  'date',
  'copyright',
]);
/** A longer value is no title; it would be repeated in every segment. */
const MAX_VALUE_CHARACTERS = 500;

export type Tags = ReadonlyMap<string, string>;

/** Parses ffmpeg's metadata format: `name=value` lines, a backslash escaping `=`, `;`, `#`, `\` and line ends. */
export function parseFfmetadata(text: string): Tags {
  const tags = new Map<string, string>();
  for (const line of text.replaceAll(/\\\n/g, ' ').split('\n')) {
    if (line.startsWith('[')) break;
    const match = /^((?:[^\\=;#]|\\.)+)=(.*)$/.exec(line);
    const name = match?.[1]?.toLowerCase();
    const value = unescaped(match?.[2] ?? '').trim();
    if (name === undefined || !CARRIED.has(name) || value === '') continue;
    tags.set(name, value.slice(0, MAX_VALUE_CHARACTERS));
  }
  return tags;
}

function unescaped(value: string): string {
  // Control characters, NUL above all, cannot stand in an argument.
  return value.replaceAll(/\\(.)/g, '$1').replaceAll(/\p{Cc}/gu, ' ');
}

/**
 * The tags of segment `index`: its number as track, and in the title where the source has one. How many segments
 * there will be is not known when the first of them is written.
 */
export function segmentTags(source: Tags, index: number): Tags {
  const number = index + 1;
  const tags = new Map(source);
  const title = source.get('title');
  if (title !== undefined) tags.set('title', `${title} (${number})`);
  tags.set('track', String(number));
  return tags;
}

/** The tags that take more room than those of any segment. */
export function longestSegmentTags(source: Tags): Tags {
  return segmentTags(source, MAX_SEGMENTS - 1);
}

const ID3_HEADER_BYTES = 10;
/** What ffmpeg leaves behind the frames. */
const ID3_PADDING_BYTES = 10;
/** A frame's header, the text's encoding and its end. */
const ID3_FRAME_BYTES = 12;
/** Names that ID3 has no frame for are written out in one of user-defined text. */
const ID3_LONGEST_NAME_BYTES = 16;

/** The most bytes that the tags of a segment take as ID3v2.4 in UTF-8. */
export function maxTagBytes(source: Tags): number {
  const frames = [...longestSegmentTags(source).values()].map(
    (value) => ID3_FRAME_BYTES + ID3_LONGEST_NAME_BYTES + Buffer.byteLength(value),
  );
  return frames.reduce((total, bytes) => total + bytes, ID3_HEADER_BYTES + ID3_PADDING_BYTES);
}
