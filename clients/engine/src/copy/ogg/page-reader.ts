import { unsupportedMedia } from '../../media-error.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import type { ByteReader } from '../source/byte-reader.ts';
import { crc32 } from './crc32.ts';

/** An Ogg page (RFC 3533 6) with a correct checksum. */
export interface OggPage {
  /** Its position in the source. */
  readonly start: number;
  readonly isContinued: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  /** The end of the last packet that ends on this page; -1 if none does. */
  readonly granulePosition: number;
  readonly serial: number;
  readonly sequence: number;
  readonly lacing: Buffer;
  readonly body: Buffer;
  /** The whole page, header included. */
  readonly bytes: Buffer;
}

export const PAGE_HEADER_BYTES = 27;
export const CONTINUED_FLAG = 1;
export const FIRST_FLAG = 2;
export const LAST_FLAG = 4;
export const CRC_AT = 22;
const CRC_BYTES = 4;
const NO_CHECKSUM = Buffer.alloc(CRC_BYTES);

/**
 * Yields the pages, several at a time; one cut short by the end of the source is dropped. Throws
 * UNSUPPORTED_MEDIA if there is none, CopyNotPossibleError if there are other bytes between pages or a
 * checksum is wrong.
 */
export async function* readPages(reader: ByteReader): AsyncGenerator<readonly OggPage[]> {
  let isStart = true;
  for (;;) {
    const { window, position } = reader;
    const pages: OggPage[] = [];
    let at = 0;
    for (;;) {
      const pageBytes = pageLength(window, at);
      if (pageBytes === undefined) break;
      if (window.toString('latin1', at, at + 4) !== 'OggS') {
        if (isStart) throw unsupportedMedia('The source is no Ogg stream.');
        throw new CopyNotPossibleError('something else lies between Ogg pages');
      }
      if (at + pageBytes > window.length) break;
      pages.push(parsePage(window.subarray(at, at + pageBytes), position + at));
      isStart = false;
      at += pageBytes;
    }
    reader.consume(at);
    if (pages.length > 0) yield pages;
    if (reader.ended) break;
    await reader.fill(reader.window.length + 1);
  }
  if (isStart) throw unsupportedMedia('The source is no Ogg stream.');
  await reader.drain();
}

/** undefined while the header is incomplete. */
export function pageLength(window: Buffer, at: number): number | undefined {
  const lacingCount = window[at + PAGE_HEADER_BYTES - 1];
  if (lacingCount === undefined) return undefined;
  const bodyAt = at + PAGE_HEADER_BYTES + lacingCount;
  if (bodyAt > window.length) return undefined;
  let bodyBytes = 0;
  for (let index = bodyAt - lacingCount; index < bodyAt; index++) bodyBytes += window[index] ?? 0;
  return PAGE_HEADER_BYTES + lacingCount + bodyBytes;
}

/** The correct checksum for these bytes of a page. */
export function pageChecksum(bytes: Buffer): number {
  const beforeCrc = crc32(NO_CHECKSUM, crc32(bytes.subarray(0, CRC_AT)));
  return crc32(bytes.subarray(CRC_AT + CRC_BYTES), beforeCrc);
}

/** Throws CopyNotPossibleError if the checksum is wrong. */
export function parsePage(bytes: Buffer, start: number): OggPage {
  const flags = bytes.readUInt8(5);
  const bodyAt = PAGE_HEADER_BYTES + bytes.readUInt8(PAGE_HEADER_BYTES - 1);
  if (pageChecksum(bytes) !== bytes.readUInt32LE(CRC_AT))
    throw new CopyNotPossibleError('an Ogg page is damaged');
  return {
    start,
    isContinued: (flags & CONTINUED_FLAG) !== 0,
    isFirst: (flags & FIRST_FLAG) !== 0,
    isLast: (flags & LAST_FLAG) !== 0,
    granulePosition: Number(bytes.readBigInt64LE(6)),
    serial: bytes.readUInt32LE(14),
    sequence: bytes.readUInt32LE(18),
    lacing: bytes.subarray(PAGE_HEADER_BYTES, bodyAt),
    body: bytes.subarray(bodyAt),
    bytes,
  };
}
