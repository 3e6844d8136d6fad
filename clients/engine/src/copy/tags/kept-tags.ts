import { createComments } from './vorbis-comment.ts';

/** The tags that converted segments carry too, by the names of Matroska and CAF in lower case. */
const COMMENT_NAMES: ReadonlyMap<string, string> = new Map([
  ['title', 'TITLE'],
  ['artist', 'ARTIST'],
  ['album', 'ALBUM'],
  ['album_artist', 'ALBUMARTIST'],
  ['composer', 'COMPOSER'],
  ['genre', 'GENRE'],
  ['date', 'DATE'],
  ['date_released', 'DATE'],
  ['recorded date', 'DATE'],
  ['year', 'DATE'],
  ['copyright', 'COPYRIGHT'],
]);
/** A longer value is no title; every segment would repeat it. */
const MAX_VALUE_CHARACTERS = 500;

/** Whether segments carry the tag of this name. */
export function isKeptTag(name: string): boolean {
  return COMMENT_NAMES.has(name.toLowerCase());
}

/**
 * The tags of a container that is not kept, as Vorbis comments. If a name occurs twice, the first is used.
 */
export function commentsFrom(tags: Iterable<readonly [name: string, value: string]>): Buffer {
  const comments = new Map<string, string>();
  for (const [name, value] of tags) {
    const kept = COMMENT_NAMES.get(name.toLowerCase());
    if (kept === undefined || comments.has(kept)) continue;
    const text = value
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim()
      .slice(0, MAX_VALUE_CHARACTERS);
    if (text !== '') comments.set(kept, text);
  }
  return createComments([...comments].map(([name, text]) => `${name}=${text}`));
}
