/**
 * Finds the cover picture of a source without a decoder.
 *
 * In an ID3v2 frame, a FLAC block or an iTunes item the picture comes last, after fields of a few dozen
 * bytes. It is therefore found by the magic bytes of the two formats that all players support. A picture that
 * is neither JPEG nor PNG, or larger than allowed, is dropped.
 */
import { findBox } from '../../copy/m4a/boxes.ts';
import { framesOf } from '../../copy/mp3/id3-tag.ts';
import type { SourceBytes } from '../input/source-bytes.ts';
import { findMoov } from '../trim/movie-index.ts';

export interface Cover {
  readonly mimeType: 'image/jpeg' | 'image/png';
  readonly bytes: Buffer;
}

/** A FLAC block states its length in 24 bits, and contains a few other fields. */
const MAX_COVER_BYTES = 0xffffff - 1024;
const MAX_METADATA_BYTES = 32 * 1024 * 1024;
/** Type, kind and description precede the picture. */
const MAX_FIELD_BYTES = 1024;
const META_VERSION_BYTES = 4;
const ID3_HEADER_BYTES = 10;
const FLAC_PICTURE = 6;
const FLAC_LAST_BLOCK_FLAG = 0x80;
const MAX_FLAC_BLOCKS = 128;

/** undefined: there is none, or it exceeds `maxBytes`. */
export async function readCover(source: SourceBytes, maxBytes: number): Promise<Cover | undefined> {
  const cover = await findCover(source);
  return cover !== undefined && cover.bytes.length <= Math.min(maxBytes, MAX_COVER_BYTES) ? cover : undefined;
}

async function findCover(source: SourceBytes): Promise<Cover | undefined> {
  if (source.container === 'mp4') return coverOfMovie(source);
  const head = await source.head(0, ID3_HEADER_BYTES);
  const isId3 = head.length === ID3_HEADER_BYTES && head.toString('latin1', 0, 3) === 'ID3';
  const tagBytes = isId3 ? ID3_HEADER_BYTES + syncsafe(head, 6) : 0;
  if (source.container === 'flac') return coverOfFlac(source, tagBytes);
  return tagBytes > 0 && tagBytes <= MAX_METADATA_BYTES
    ? coverOfId3(await source.head(0, tagBytes))
    : undefined;
}

function coverOfId3(tag: Buffer): Cover | undefined {
  const picture = framesOf(tag)?.find((frame) => frame.toString('latin1', 0, 4) === 'APIC');
  return picture && findPicture(picture);
}

async function coverOfFlac(source: SourceBytes, streamAt: number): Promise<Cover | undefined> {
  let at = streamAt + 4;
  for (let block = 0; block < MAX_FLAC_BLOCKS; block += 1) {
    const header = await source.head(at, 4);
    if (header.length < 4) return undefined;
    const start = header.readUInt8(0);
    const bodyBytes = header.readUIntBE(1, 3);
    if ((start & ~FLAC_LAST_BLOCK_FLAG) === FLAC_PICTURE) {
      return findPicture(await source.head(at + 4, bodyBytes));
    }
    if ((start & FLAC_LAST_BLOCK_FLAG) !== 0) return undefined;
    at += 4 + bodyBytes;
  }
  return undefined;
}

async function coverOfMovie(source: SourceBytes): Promise<Cover | undefined> {
  const moov = await findMoov(source);
  const meta = moov && findBox(moov, 'udta', 'meta');
  const value = meta && findBox(meta.subarray(META_VERSION_BYTES), 'ilst', 'covr', 'data');
  return value && findPicture(value);
}

function findPicture(body: Buffer): Cover | undefined {
  const fields = body.subarray(0, MAX_FIELD_BYTES);
  const jpeg = fields.indexOf('ffd8ff', 0, 'hex');
  const png = fields.indexOf('89504e470d0a1a0a', 0, 'hex');
  if (jpeg < 0 && png < 0) return undefined;
  const isJpeg = png < 0 || (jpeg >= 0 && jpeg < png);
  const bytes = body.subarray(isJpeg ? jpeg : png);
  return { mimeType: isJpeg ? 'image/jpeg' : 'image/png', bytes };
}

function syncsafe(bytes: Buffer, offset: number): number {
  return [0, 1, 2, 3].reduce((value, index) => value * 128 + (bytes[offset + index] ?? 0), 0);
}
