import type { ByteReader } from '../byte-reader.ts';

/** Tags found around mp3 audio: ID3v2 (id3.org), ID3v1, APEv2 and Lyrics3. */
const ID3V2_HEADER_BYTES = 10;
const ID3V2_FOOTER_FLAG = 0x10;
const ID3V1_BYTES = 128;
const APE_HEADER_BYTES = 32;
const APE_IS_HEADER_FLAG = 0x20000000;
/** A larger claim is taken for a lie: it would swallow audio. */
const MAX_APE_BYTES = 64 * 1024 * 1024;

/**
 * Consumes the ID3v2 tags at the front and returns a copy of the first, or undefined if there is none, it is
 * larger than `maxTagBytes` or cut short.
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

/** The length of the tag that starts at `at`, or 0. Needs 32 bytes from there on, or the source's end. */
export function foreignTagBytes(window: Buffer, at: number): number {
  const magic = window.toString('latin1', at, Math.min(at + 11, window.length));
  if (magic.startsWith('TAG')) return ID3V1_BYTES;
  if (magic.startsWith('ID3')) return id3v2Bytes(window, at);
  if (magic.startsWith('APETAGEX')) return apeBytes(window, at);
  if (magic === 'LYRICSBEGIN') return lyricsBytes(window, at);
  return 0;
}

function id3v2Bytes(window: Buffer, at: number): number {
  if (at + ID3V2_HEADER_BYTES > window.length || window.toString('latin1', at, at + 3) !== 'ID3') return 0;
  let bodyBytes = 0;
  for (const byte of window.subarray(at + 6, at + ID3V2_HEADER_BYTES)) {
    if (byte > 0x7f) return 0;
    bodyBytes = bodyBytes * 128 + byte;
  }
  const hasFooter = ((window[at + 5] ?? 0) & ID3V2_FOOTER_FLAG) !== 0;
  return ID3V2_HEADER_BYTES + bodyBytes + (hasFooter ? ID3V2_HEADER_BYTES : 0);
}

/** The size field counts items and footer, not the header; a footer met on its own is all there is to skip. */
function apeBytes(window: Buffer, at: number): number {
  if (at + APE_HEADER_BYTES > window.length) return 0;
  const sizeBytes = window.readUInt32LE(at + 12);
  const isHeader = (window.readUInt32LE(at + 20) & APE_IS_HEADER_FLAG) !== 0;
  if (!isHeader) return APE_HEADER_BYTES;
  return sizeBytes > MAX_APE_BYTES ? 0 : APE_HEADER_BYTES + sizeBytes;
}

function lyricsBytes(window: Buffer, at: number): number {
  for (const end of ['LYRICS200', 'LYRICSEND']) {
    const found = window.indexOf(end, at, 'latin1');
    if (found >= 0) return found + end.length - at;
  }
  return 0;
}
