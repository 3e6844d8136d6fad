/** The source's tags, as far as segments carry them. */
import type { CopyOptions, SegmentTags } from '../../copy/copy-contract.ts';
import { tagsAt, titleSuffix } from '../../copy/tags/segment-tags.ts';
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
/** A longer value is no title; every segment would repeat it. */
const MAX_VALUE_CHARACTERS = 500;

/** By ffmpeg's names, and `TRACK_COUNT` for a number that has no name in ffmpeg. */
export type Tags = ReadonlyMap<string, string>;

export const TRACK_COUNT = 'tracktotal';

/**
 * Parses ffmpeg's metadata format: `name=value` lines, in which a backslash escapes `=`, `;`, `#`, `\` and
 * line ends.
 */
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
  // An argument must not contain control characters, above all NUL.
  return value.replaceAll(/\\(.)/g, '$1').replaceAll(/\p{Cc}/gu, ' ');
}

type TagsOf = CopyOptions['tagsOf'];

/**
 * The tags of segment `index`: its own ones, or its number as the track and, if the source has a title, after
 * the title. The number of segments is not always known when the first is written.
 */
export function segmentTags(source: Tags, index: number, tagsOf?: TagsOf): Tags {
  const own: SegmentTags | undefined = tagsAt(tagsOf === undefined ? {} : { tagsOf }, index);
  const number = own?.track ?? index + 1;
  const tags = new Map(source);
  const title = source.get('title');
  if (own?.title !== undefined) tags.set('title', own.title);
  else if (title !== undefined) tags.set('title', title + titleSuffix(number));
  tags.set('track', String(number));
  if (own !== undefined) tags.set(TRACK_COUNT, String(own.trackCount));
  return tags;
}

/** Tags that take at least as much room as those of any segment: the longest of each name. */
export function longestSegmentTags(source: Tags, tagsOf?: TagsOf): Tags {
  const longest = new Map(segmentTags(source, MAX_SEGMENTS - 1));
  for (let index = 0; tagsOf !== undefined && index < MAX_SEGMENTS; index++) {
    if (tagsOf(index) === undefined) continue;
    for (const [name, value] of segmentTags(source, index, tagsOf))
      if (Buffer.byteLength(value) > Buffer.byteLength(longest.get(name) ?? '')) longest.set(name, value);
  }
  return longest;
}

/** In the form of ffmpeg's muxer of this name: Vorbis comments use two fields where others have `3/12`. */
export function muxerTags(tags: Tags, muxer: string): Tags {
  const count = tags.get(TRACK_COUNT);
  if (count === undefined) return tags;
  const named = new Map(tags);
  named.delete(TRACK_COUNT);
  if (VORBIS_COMMENT_MUXERS.has(muxer)) return named.set('TRACKTOTAL', count);
  return named.set('track', `${tags.get('track')}/${count}`);
}

const VORBIS_COMMENT_MUXERS: ReadonlySet<string> = new Set(['flac', 'ogg', 'opus']);

const ID3_HEADER_BYTES = 10;
/** The padding that ffmpeg writes after the frames. */
const ID3_PADDING_BYTES = 10;
/** A frame's header, the text's encoding and its end. */
const ID3_FRAME_BYTES = 12;
/** Names without an ID3 frame are stored in a frame of user-defined text. */
const ID3_LONGEST_NAME_BYTES = 16;

/** The maximum size of a segment's tags as ID3v2.4 in UTF-8. */
export function maxTagBytes(source: Tags, tagsOf?: TagsOf): number {
  const frames = [...longestSegmentTags(source, tagsOf).values()].map(
    (value) => ID3_FRAME_BYTES + ID3_LONGEST_NAME_BYTES + Buffer.byteLength(value),
  );
  return frames.reduce((total, bytes) => total + bytes, ID3_HEADER_BYTES + ID3_PADDING_BYTES);
}
