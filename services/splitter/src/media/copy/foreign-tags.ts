import { id3v2Bytes } from './id3v2.ts';

/** Tags found between and behind the frames of raw streams: ID3v1, ID3v2, APEv2 and Lyrics3. */
const ID3V1_BYTES = 128;
const APE_HEADER_BYTES = 32;
const APE_IS_HEADER_FLAG = 0x20000000;
/** A larger claim is taken for a lie: it would swallow audio. */
const MAX_APE_BYTES = 64 * 1024 * 1024;

/** The length of the tag that starts at `at`, or 0. Needs 32 bytes from there on, or the source's end. */
export function foreignTagBytes(window: Buffer, at: number): number {
  const magic = window.toString('latin1', at, Math.min(at + 11, window.length));
  if (magic.startsWith('TAG')) return ID3V1_BYTES;
  if (magic.startsWith('ID3')) return id3v2Bytes(window, at);
  if (magic.startsWith('APETAGEX')) return apeBytes(window, at);
  if (magic === 'LYRICSBEGIN') return lyricsBytes(window, at);
  return 0;
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
