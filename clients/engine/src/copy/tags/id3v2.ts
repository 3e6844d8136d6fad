import type { ByteReader } from '../source/byte-reader.ts';

/** ID3v2 tags (id3.org), which taggers write before any kind of stream. */
const ID3V2_HEADER_BYTES = 10;
const ID3V2_FOOTER_FLAG = 0x10;

/**
 * Consumes the ID3v2 tags at the beginning and returns a copy of the first; undefined if there is none, it is
 * larger than `maxTagBytes` or incomplete.
 */
export async function readLeadingTag(reader: ByteReader, maxTagBytes: number): Promise<Buffer | undefined> {
  let tag: Buffer | undefined;
  for (let count = 0; await reader.fill(ID3V2_HEADER_BYTES); count++) {
    const sizeBytes = id3v2Bytes(reader.window, 0);
    if (sizeBytes === 0) break;
    if (count === 0 && sizeBytes <= maxTagBytes && (await reader.fill(sizeBytes))) {
      tag = Buffer.from(reader.window.subarray(0, sizeBytes));
    }
    await reader.skip(sizeBytes);
  }
  return tag;
}

/** The length of the tag at `at`, or 0 if there is none. */
export function id3v2Bytes(window: Buffer, at: number): number {
  if (at + ID3V2_HEADER_BYTES > window.length || window.toString('latin1', at, at + 3) !== 'ID3') return 0;
  let bodyBytes = 0;
  for (const byte of window.subarray(at + 6, at + ID3V2_HEADER_BYTES)) {
    if (byte > 0x7f) return 0;
    bodyBytes = bodyBytes * 128 + byte;
  }
  const hasFooter = ((window[at + 5] ?? 0) & ID3V2_FOOTER_FLAG) !== 0;
  return ID3V2_HEADER_BYTES + bodyBytes + (hasFooter ? ID3V2_HEADER_BYTES : 0);
}

/** Removes unsynchronisation, which inserts a zero after every 0xff. */
export function resynchronised(bytes: Buffer): Buffer {
  const plain = Buffer.alloc(bytes.length);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    plain[length++] = byte;
    if (byte === 0xff && bytes[at + 1] === 0) at += 1;
  }
  return plain.subarray(0, length);
}
