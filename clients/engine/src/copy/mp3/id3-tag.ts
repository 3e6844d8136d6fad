/**
 * Adapts a source's ID3v2 tag to a segment: its number as the track and after the title, and its size within
 * bounds.
 *
 * Only tags whose frames can be walked reliably are changed (ID3v2.3 and 2.4 without unsynchronisation,
 * extended header or footer; id3.org); any other tag is returned unchanged. Padding is removed.
 */
const HEADER_BYTES = 10;
const FRAME_HEADER_BYTES = 10;
/** Real tags have dozens; each segment costs a walk through all of them. */
const MAX_FRAMES = 1_000;
const FRAME_ID = /^[A-Z0-9]{4}$/;

/** `number` counts from 1. */
export function numberTag(tag: Buffer, number: number): readonly Buffer[] {
  const frames = framesOf(tag);
  if (frames === undefined) return [tag];
  const version = tag.readUInt8(3);
  const numbered = frames
    .filter((frame) => idOf(frame) !== 'TRCK')
    .map((frame) => (idOf(frame) === 'TIT2' ? suffixedText(frame, ` (${number})`, version) : frame));
  const track = Buffer.concat([Buffer.from('TRCK'), Buffer.alloc(7), Buffer.from(String(number))]);
  return tagParts(version, [...numbered, withSize(track, version)]);
}

/** The tag, without its pictures if it is larger than `maxBytes`; undefined if that is not enough. */
export function fitTag(tag: Buffer, maxBytes: number): Buffer | undefined {
  if (tag.length <= maxBytes) return tag;
  const frames = framesOf(tag)?.filter((frame) => idOf(frame) !== 'APIC');
  const fitted = frames && createTag(tag.readUInt8(3), frames);
  return fitted !== undefined && fitted.length <= maxBytes ? fitted : undefined;
}

/** A tag of these frames only, headers included. */
export function createTag(version: number, frames: readonly Buffer[]): Buffer {
  return Buffer.concat(tagParts(version, frames));
}

/** Likewise, without copying the frames, which can hold pictures of megabytes. */
export function tagParts(version: number, frames: readonly Buffer[]): readonly Buffer[] {
  const bodyBytes = frames.reduce((sum, { length }) => sum + length, 0);
  const header = Buffer.from('ID3\0\0\0\0\0\0\0', 'latin1');
  header.writeUInt8(version, 3);
  header.writeUInt32BE(syncsafe(bodyBytes), 6);
  return [header, ...frames];
}

/** The frames up to the padding, headers included; undefined if they cannot be walked reliably. */
export function framesOf(tag: Buffer): readonly Buffer[] | undefined {
  const version = tag[3];
  if ((version !== 3 && version !== 4) || tag[5] !== 0) return undefined;
  const frames: Buffer[] = [];
  let at = HEADER_BYTES;
  while (at < tag.length && tag[at] !== 0) {
    if (at + FRAME_HEADER_BYTES > tag.length || frames.length === MAX_FRAMES) return undefined;
    const size = tag.readUInt32BE(at + 4);
    const bodyBytes = version === 4 ? fromSyncsafe(size) : size;
    const end = at + FRAME_HEADER_BYTES + (bodyBytes ?? Number.POSITIVE_INFINITY);
    const frame = tag.subarray(at, end);
    if (end > tag.length || !FRAME_ID.test(idOf(frame))) return undefined;
    frames.push(frame);
    at = end;
  }
  return frames;
}

export function idOf(frame: Buffer): string {
  return frame.toString('latin1', 0, 4);
}

/** Sets a frame's size field to its actual size. */
export function withSize(frame: Buffer, version: number): Buffer {
  const bodyBytes = frame.length - FRAME_HEADER_BYTES;
  frame.writeUInt32BE(version === 4 ? syncsafe(bodyBytes) : bodyBytes, 4);
  return frame;
}

/** Text begins with its encoding: 0 Latin-1, 1 UTF-16 with a byte order mark, 2 UTF-16BE, 3 UTF-8. */
export function suffixedText(frame: Buffer, suffix: string, version: number): Buffer {
  const encoding = frame[FRAME_HEADER_BYTES];
  const isChanged = frame.readUInt16BE(8) !== 0;
  if (encoding === undefined || encoding > 3 || isChanged) return frame;
  const isWide = encoding === 1 || encoding === 2;
  let end = frame.length;
  const unitBytes = isWide ? 2 : 1;
  const textAt = FRAME_HEADER_BYTES + 1;
  while (end - unitBytes >= textAt && frame.subarray(end - unitBytes, end).every((byte) => byte === 0)) {
    end -= unitBytes;
  }
  const text = Buffer.from(suffix, isWide ? 'utf16le' : 'latin1');
  const isBigEndian = encoding === 2 || (encoding === 1 && frame[textAt] === 0xfe);
  if (isWide && isBigEndian) text.swap16();
  return withSize(Buffer.concat([frame.subarray(0, end), text]), version);
}

/** Seven bits per byte. */
function syncsafe(value: number): number {
  return ((value & 0xfe00000) << 3) | ((value & 0x1fc000) << 2) | ((value & 0x3f80) << 1) | (value & 0x7f);
}

function fromSyncsafe(value: number): number | undefined {
  if ((value & 0x80808080) !== 0) return undefined;
  return (
    ((value >>> 24) << 21) | (((value >>> 16) & 0x7f) << 14) | (((value >>> 8) & 0x7f) << 7) | (value & 0x7f)
  );
}
