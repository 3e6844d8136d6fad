/** The source's tags, as far as segments carry them. */

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

/** The tags of segment `index`: its number as track, and in the title where the source has one. */
export function segmentTags(source: Tags, index: number, segmentCount: number | undefined): Tags {
  const number = index + 1;
  const tags = new Map(source);
  const title = source.get('title');
  if (title !== undefined) tags.set('title', `${title} (${number})`);
  tags.set('track', segmentCount === undefined ? String(number) : `${number}/${segmentCount}`);
  return tags;
}

/** The most bytes that these tags can take in a file: ID3v2 stores UTF-8 or, at worst, UTF-16 with frame headers. */
export function maxTagBytes(source: Tags): number {
  const values = [...segmentTags(source, 99_999, 99_999)];
  return values.reduce((total, [name, value]) => total + 64 + 2 * Buffer.byteLength(`${name}${value}`), 64);
}
