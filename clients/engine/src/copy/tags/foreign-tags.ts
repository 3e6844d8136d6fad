import { id3v2Bytes } from './id3v2.ts';

/**
 * Tags between and after the frames of raw streams: ID3v1, ID3v2, APEv2 and Lyrics3 (both versions; id3.org).
 */
const ID3V1_BYTES = 128;
const APE_HEADER_BYTES = 32;
const APE_IS_HEADER_FLAG = 0x20000000;
/** A larger size is considered false, because it would skip audio. */
const MAX_APE_BYTES = 64 * 1024 * 1024;
const LYRICS_BEGIN = 'LYRICSBEGIN';
const LYRICS1_END = 'LYRICSEND';
const MAX_LYRICS1_TEXT_BYTES = 5_100;
const LYRICS2_FIELD_HEADER = /^[A-Z]{3}\d{5}$/;
const LYRICS2_FIELD_HEADER_BYTES = 8;
/** Nine kinds of fields are defined. */
const MAX_LYRICS2_FIELDS = 32;
const LYRICS2_END = /^\d{6}LYRICS200$/;
const LYRICS2_END_BYTES = 15;

/** The length of the tag that starts at `at`, or 0. Needs 32 bytes from there on, or the source's end. */
export function foreignTagBytes(window: Buffer, at: number): number {
  const magic = window.toString('latin1', at, Math.min(at + 11, window.length));
  if (magic.startsWith('TAG')) return ID3V1_BYTES;
  if (magic.startsWith('ID3')) return id3v2Bytes(window, at);
  if (magic.startsWith('APETAGEX')) return apeBytes(window, at);
  if (magic === LYRICS_BEGIN) return lyricsBytes(window, at);
  return 0;
}

/**
 * The size field counts items and footer, not the header; for a footer without a header, only the footer is
 * skipped.
 */
function apeBytes(window: Buffer, at: number): number {
  if (at + APE_HEADER_BYTES > window.length) return 0;
  const sizeBytes = window.readUInt32LE(at + 12);
  const isHeader = (window.readUInt32LE(at + 20) & APE_IS_HEADER_FLAG) !== 0;
  if (!isHeader) return APE_HEADER_BYTES;
  return sizeBytes > MAX_APE_BYTES ? 0 : APE_HEADER_BYTES + sizeBytes;
}

/**
 * Both searches are bounded, so that junk with many false beginnings does not cost a search through the
 * window for each.
 */
function lyricsBytes(window: Buffer, at: number): number {
  return lyrics2Bytes(window, at) || lyrics1Bytes(window, at);
}

/** Fields of three letters, five digits of length and a text, then six digits for all of them. */
function lyrics2Bytes(window: Buffer, start: number): number {
  let at = start + LYRICS_BEGIN.length;
  for (let fieldCount = 0; fieldCount <= MAX_LYRICS2_FIELDS; fieldCount++) {
    if (LYRICS2_END.test(window.toString('latin1', at, at + LYRICS2_END_BYTES))) {
      return at + LYRICS2_END_BYTES - start;
    }
    const header = window.toString('latin1', at, at + LYRICS2_FIELD_HEADER_BYTES);
    if (!LYRICS2_FIELD_HEADER.test(header)) return 0;
    at += LYRICS2_FIELD_HEADER_BYTES + Number(header.slice(3));
  }
  return 0;
}

function lyrics1Bytes(window: Buffer, start: number): number {
  const maxBytes = LYRICS_BEGIN.length + MAX_LYRICS1_TEXT_BYTES + LYRICS1_END.length;
  const end = window.subarray(start, start + maxBytes).indexOf(LYRICS1_END, 0, 'latin1');
  return end < 0 ? 0 : end + LYRICS1_END.length;
}
