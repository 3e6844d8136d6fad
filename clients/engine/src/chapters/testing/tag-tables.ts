/** Builds chapters in tags as their standards define them, for tests. */
import { createTag, withSize } from '../../copy/mp3/id3-tag.ts';
import { createComments } from '../../copy/tags/vorbis-comment.ts';

export function little(byteCount: 2 | 4 | 8, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes.subarray(0, byteCount);
}

export function big(byteCount: 2 | 4 | 8, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes.subarray(8 - byteCount);
}

type Id3Version = 3 | 4;

/** `flags` are the two bytes after the size. */
export function id3Frame(version: Id3Version, id: string, body: Uint8Array, flags = 0): Buffer {
  return withSize(Buffer.concat([Buffer.from(id, 'latin1'), Buffer.alloc(4), big(2, flags), body]), version);
}

/** With its encoding before it: Latin-1, UTF-16 with a mark, UTF-16BE, UTF-8. */
export function id3Text(encoding: 0 | 1 | 2 | 3, text: string): Buffer {
  const wide = Buffer.from(text, 'utf16le');
  const bytes = [
    () => Buffer.from(text, 'latin1'),
    () => Buffer.concat([Buffer.of(0xff, 0xfe), wide]),
    () => wide.swap16(),
    () => Buffer.from(text),
  ][encoding]?.();
  return Buffer.concat([Buffer.of(encoding), bytes ?? Buffer.alloc(0)]);
}

function titleFrame(version: Id3Version, title: string | Uint8Array | undefined): Buffer {
  if (title === undefined) return Buffer.alloc(0);
  return id3Frame(version, 'TIT2', typeof title === 'string' ? id3Text(3, title) : title);
}

/** `title`: in UTF-8, or a text with its encoding. */
export function chapFrame(
  version: Id3Version,
  id: string,
  startMs: number,
  title?: string | Uint8Array,
): Buffer {
  const times = [big(4, startMs), big(4, startMs + 1), big(4, 0xffffffff), big(4, 0xffffffff)];
  const body = Buffer.concat([Buffer.from(`${id}\0`, 'latin1'), ...times, titleFrame(version, title)]);
  return id3Frame(version, 'CHAP', body);
}

interface TocSpec {
  readonly id: string;
  readonly entries: readonly string[];
  readonly isTopLevel?: boolean;
  readonly isOrdered?: boolean;
  readonly title?: string;
}

export function ctocFrame(
  version: Id3Version,
  { id, entries, isTopLevel, isOrdered, title }: TocSpec,
): Buffer {
  const flags = (isTopLevel === true ? 2 : 0) | (isOrdered === true ? 1 : 0);
  const list = Buffer.from(entries.map((entry) => `${entry}\0`).join(''), 'latin1');
  const body = [Buffer.from(`${id}\0`, 'latin1'), Buffer.of(flags, entries.length), list];
  return id3Frame(version, 'CTOC', Buffer.concat([...body, titleFrame(version, title)]));
}

export function userTextFrame(
  version: Id3Version,
  encoding: 0 | 1 | 2 | 3,
  name: string,
  value: string,
): Buffer {
  const fields = [id3Text(encoding, `${name}\0`), id3Text(encoding, value).subarray(1)];
  return id3Frame(version, 'TXXX', Buffer.concat(fields));
}

export const id3Tag = createTag;

/** Inserts a zero after each 0xff. */
export function unsynchronise(bytes: Buffer): Buffer {
  return Buffer.from([...bytes].flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte])));
}

/** The comments of chapters as `CHAPTER001` and so on, and any others. */
export function chapterComments(
  chapters: readonly { readonly time: string; readonly name?: string }[],
  ...others: readonly string[]
): Buffer {
  const entries = chapters.flatMap(({ time, name }, index) => {
    const key = `CHAPTER${String(index).padStart(3, '0')}`;
    return [`${key}=${time}`, ...(name === undefined ? [] : [`${key}NAME=${name}`])];
  });
  return createComments([...others, ...entries]);
}

export function apeTag(items: readonly (readonly [key: string, value: string])[]): Buffer {
  const body = items.map(([key, value]) => {
    const bytes = Buffer.from(value);
    return Buffer.concat([little(4, bytes.length), little(4, 0), Buffer.from(`${key}\0`), bytes]);
  });
  const sizeBytes = body.reduce((sum, item) => sum + item.length, 32);
  const edge = (flags: number): Buffer => {
    const numbers = [little(4, 2_000), little(4, sizeBytes), little(4, items.length), little(4, flags)];
    return Buffer.concat([Buffer.from('APETAGEX'), ...numbers, Buffer.alloc(8)]);
  };
  return Buffer.concat([edge(0xa0000000), ...body, edge(0x80000000)]);
}

interface CueTrack {
  readonly number: number;
  readonly sample: number;
  /** From the position of the track, with their numbers. */
  readonly points?: readonly (readonly [sample: number, number: number])[];
  readonly isData?: boolean;
}

/** The body of a CUESHEET block (RFC 9639 8.6). */
export function cuesheetBlock(tracks: readonly CueTrack[]): Buffer {
  const body = tracks.map(({ number, sample, points = [], isData = false }) =>
    Buffer.concat([
      big(8, sample),
      Buffer.of(number),
      Buffer.alloc(12),
      Buffer.of(isData ? 0x80 : 0),
      Buffer.alloc(13),
      Buffer.of(points.length),
      ...points.map(([at, point]) => Buffer.concat([big(8, at), Buffer.of(point), Buffer.alloc(3)])),
    ]),
  );
  return Buffer.concat([
    Buffer.alloc(128),
    big(8, 88_200),
    Buffer.alloc(259),
    Buffer.of(tracks.length),
    ...body,
  ]);
}

/** A FLAC stream of metadata alone, at 44,100 Hz. */
export function flacHead(blocks: readonly (readonly [type: number, body: Uint8Array])[]): Buffer {
  const streamInfo = Buffer.alloc(34);
  streamInfo.writeUInt16BE(4_096, 0);
  streamInfo.writeUInt16BE(4_096, 2);
  streamInfo.writeUInt32BE(((44_100 << 12) | (1 << 9) | (15 << 4)) >>> 0, 10);
  const all = [[0, streamInfo] as const, ...blocks];
  return Buffer.concat([
    Buffer.from('fLaC'),
    ...all.map(([type, body], index) => flacBlock(type, body, index === all.length - 1)),
  ]);
}

export function flacBlock(type: number, body: Uint8Array, isLast: boolean): Buffer {
  const header = Buffer.alloc(4);
  header.writeUInt8(type | (isLast ? 0x80 : 0));
  header.writeUIntBE(body.length, 1, 3);
  return Buffer.concat([header, body]);
}

/** A RIFF file of chunks without a format. */
export function riffFile(chunks: readonly (readonly [id: string, body: Uint8Array])[]): Buffer {
  const body = chunks.flatMap(([id, bytes]) => [
    Buffer.from(id, 'latin1'),
    little(4, bytes.length),
    bytes,
    Buffer.alloc(bytes.length % 2),
  ]);
  const whole = Buffer.concat([Buffer.from('WAVE'), ...body]);
  return Buffer.concat([Buffer.from('RIFF'), little(4, whole.length), whole]);
}
