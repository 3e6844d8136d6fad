/**
 * The frames of ID3v2.3 and 2.4 tags (id3.org), including tags that are too uncertain to change
 * (`copy/mp3/id3-tag.ts`): unsynchronised ones, and ones with an extended header. Reading stops at a frame
 * that does not fit. Compressed and encrypted frames are skipped.
 *
 * In version 3 unsynchronisation applies to the whole tag, in version 4 to each frame. iTunes wrote plain
 * sizes into tags of version 4: a size is read as plain if only that leads to another frame.
 */
import { resynchronised } from '../copy/tags/id3v2.ts';

export interface Id3Frame {
  readonly id: string;
  readonly body: Buffer;
}

export type Id3Version = 3 | 4;

const HEADER_BYTES = 10;
const FRAME_ID = /^[A-Z][A-Z0-9]{3}$/;
const UNSYNCHRONISED = 0x80;
const HAS_EXTENDED_HEADER = 0x40;

export function id3Version(tag: Buffer): Id3Version | undefined {
  const version = tag[3];
  return version === 3 || version === 4 ? version : undefined;
}

/** The frames of a whole tag, header included. */
export function* readTagFrames(tag: Buffer): Generator<Id3Frame> {
  const version = id3Version(tag);
  if (version === undefined || tag.length < HEADER_BYTES) return;
  const flags = tag.readUInt8(5);
  const bodyBytes = fromSyncsafe(tag.readUInt32BE(6));
  const isUnsynchronised = (flags & UNSYNCHRONISED) !== 0;
  const stored = tag.subarray(HEADER_BYTES, HEADER_BYTES + bodyBytes);
  const body = version === 3 && isUnsynchronised ? resynchronised(stored) : stored;
  const start = (flags & HAS_EXTENDED_HEADER) === 0 ? 0 : extendedHeaderBytes(body, version);
  yield* readFrames(body.subarray(start), version, version === 4 && isUnsynchronised);
}

/** The consecutive frames, up to the padding. */
export function* readFrames(
  bytes: Buffer,
  version: Id3Version,
  areUnsynchronised = false,
): Generator<Id3Frame> {
  for (let at = 0; at + HEADER_BYTES <= bytes.length; ) {
    const id = bytes.toString('latin1', at, at + 4);
    if (!FRAME_ID.test(id)) return;
    const bodyAt = at + HEADER_BYTES;
    const end = bodyAt + frameBodyBytes(bytes, at, version);
    if (end > bytes.length) return;
    const stored = bytes.subarray(bodyAt, end);
    const body = readBody(stored, bytes.readUInt8(at + 9), version, areUnsynchronised);
    if (body !== undefined) yield { id, body };
    at = end;
  }
}

function frameBodyBytes(bytes: Buffer, at: number, version: Id3Version): number {
  const plain = bytes.readUInt32BE(at + 4);
  if (version === 3 || (plain & 0x80808080) !== 0) return plain;
  const syncsafe = fromSyncsafe(plain);
  const bodyAt = at + HEADER_BYTES;
  return !isFrameEnd(bytes, bodyAt + syncsafe) && isFrameEnd(bytes, bodyAt + plain) ? plain : syncsafe;
}

function isFrameEnd(bytes: Buffer, at: number): boolean {
  if (at >= bytes.length) return at === bytes.length;
  return bytes[at] === 0 || FRAME_ID.test(bytes.toString('latin1', at, at + 4));
}

/** Undefined if it would have to be decompressed or decrypted. */
function readBody(
  stored: Buffer,
  flags: number,
  version: Id3Version,
  isUnsynchronised: boolean,
): Buffer | undefined {
  if (version === 3) {
    if ((flags & 0xc0) !== 0) return undefined;
    return stored.subarray((flags & 0x20) === 0 ? 0 : 1);
  }
  if ((flags & 0x0c) !== 0) return undefined;
  const groupBytes = (flags & 0x40) === 0 ? 0 : 1;
  const lengthBytes = (flags & 0x01) === 0 ? 0 : 4;
  const body = stored.subarray(groupBytes + lengthBytes);
  return isUnsynchronised || (flags & 0x02) !== 0 ? resynchronised(body) : body;
}

/** Version 3 does not count the size itself. */
function extendedHeaderBytes(body: Buffer, version: Id3Version): number {
  if (body.length < 4) return 0;
  const size = body.readUInt32BE(0);
  return version === 3 ? 4 + size : fromSyncsafe(size);
}

/** Seven bits per byte; the highest bit of each is ignored. */
function fromSyncsafe(value: number): number {
  return (
    (((value >>> 24) & 0x7f) << 21) |
    (((value >>> 16) & 0x7f) << 14) |
    (((value >>> 8) & 0x7f) << 7) |
    (value & 0x7f)
  );
}
