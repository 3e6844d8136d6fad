import type { SegmentFile } from '../segments/segment-file.ts';
import { crc32, crc32OverZeros } from './crc32.ts';
import {
  CONTINUED_FLAG,
  CRC_AT,
  FIRST_FLAG,
  LAST_FLAG,
  type OggPage,
  PAGE_HEADER_BYTES,
} from './page-reader.ts';

/**
 * Writes the pages of a new logical stream: packs packets into pages, and passes pages of another stream on
 * with a new header. A page is held back until the next one begins, because only then is it known not to be
 * the last.
 */
export interface OggPageWriter {
  /** The maximum size of the file if this packet is the last one. */
  sizeWith(packetBytes: number): number;
  /** The size of the file if this page is the last one. */
  sizeWithPage(page: OggPage): number;
  /** `granulePosition`: where the packet ends. */
  add(packet: Buffer, granulePosition: number): void;
  /** The page must contain only whole packets. `granulePosition`: where its last packet ends. */
  addPage(page: OggPage, granulePosition: number): void;
  /** The first packet gets a page of its own, and audio begins on a new one (RFC 3533 4). */
  addHeaders(packets: readonly Buffer[]): void;
  /** Copies the buffered bytes, so that their memory may be reused. */
  detach(): void;
  /** Ends the stream with the last packet added. */
  end(): void;
}

const MAX_LACING = 255;
/** As in libogg: a page is closed once it has this size. */
const PAGE_BODY_BYTES = 4096;
const NO_PACKET_ENDS = -1;
/** After `OggS`; a copied page is rewritten from here to the checksum. */
const VERSION_AT = 4;

/** `serial` may be any number, because the file contains one stream. */
export function createPageWriter(
  file: Pick<SegmentFile, 'append' | 'sizeBytes'>,
  serial: number,
): OggPageWriter {
  let sequence = 0;
  /** The page that is held back; `lacing` is empty then. */
  let passed: Pick<OggPage, 'bytes'> | undefined;
  let lacing: number[] = [];
  let body: Buffer[] = [];
  let bodyBytes = 0;
  let granule = NO_PACKET_ENDS;
  let isContinued = false;
  const difference = Buffer.alloc(CRC_AT - VERSION_AT);

  function writePage(flags: number): void {
    const header = Buffer.allocUnsafe(PAGE_HEADER_BYTES + lacing.length).fill(0);
    header.write('OggS', 'latin1');
    header.writeUInt8(flags | (isContinued ? CONTINUED_FLAG : 0) | (sequence === 0 ? FIRST_FLAG : 0), 5);
    header.writeBigInt64LE(BigInt(granule), 6);
    header.writeUInt32LE(serial, 14);
    header.writeUInt32LE(sequence, 18);
    if (passed === undefined) finishPage(header);
    else finishPassed(header, passed);
    sequence += 1;
    passed = undefined;
    lacing = [];
    body = [];
    bodyBytes = 0;
    granule = NO_PACKET_ENDS;
    isContinued = false;
  }

  function finishPage(header: Buffer): void {
    header.writeUInt8(lacing.length, PAGE_HEADER_BYTES - 1);
    header.set(lacing, PAGE_HEADER_BYTES);
    let crc = crc32(header);
    for (const part of body) crc = crc32(part, crc);
    header.writeUInt32LE(crc, CRC_AT);
    file.append(header);
    for (const part of body) file.append(part);
  }

  function finishPassed(header: Buffer, { bytes }: Pick<OggPage, 'bytes'>): void {
    for (let at = VERSION_AT; at < CRC_AT; at++) {
      difference[at - VERSION_AT] = header.readUInt8(at) ^ bytes.readUInt8(at);
    }
    const correction = crc32OverZeros(crc32(difference), bytes.length - CRC_AT);
    header.writeUInt32LE((bytes.readUInt32LE(CRC_AT) ^ correction) >>> 0, CRC_AT);
    header.writeUInt8(bytes.readUInt8(PAGE_HEADER_BYTES - 1), PAGE_HEADER_BYTES - 1);
    file.append(header);
    file.append(bytes.subarray(PAGE_HEADER_BYTES));
  }

  function endPage(): void {
    if (lacing.length > 0 || passed !== undefined) writePage(0);
  }

  function heldBytes(): number {
    if (passed !== undefined) return passed.bytes.length;
    return lacing.length === 0 ? 0 : PAGE_HEADER_BYTES + lacing.length + bodyBytes;
  }

  function add(packet: Buffer, granulePosition: number): void {
    let left = lacingCount(packet.length);
    if (passed !== undefined || bodyBytes >= PAGE_BODY_BYTES || lacing.length + left > MAX_LACING) endPage();
    for (let at = 0; left > 0; ) {
      if (lacing.length === MAX_LACING) {
        writePage(0);
        isContinued = true;
      }
      const taken = Math.min(left, MAX_LACING - lacing.length);
      const part = packet.subarray(at, at + taken * MAX_LACING);
      for (let lacedBytes = 0, count = taken; count > 0; count--, lacedBytes += MAX_LACING) {
        lacing.push(Math.min(MAX_LACING, part.length - lacedBytes));
      }
      body.push(part);
      bodyBytes += part.length;
      at += part.length;
      left -= taken;
    }
    granule = granulePosition;
  }

  return {
    sizeWith(packetBytes) {
      const segments = lacingCount(packetBytes);
      const headers = PAGE_HEADER_BYTES * Math.ceil(segments / MAX_LACING);
      return file.sizeBytes + heldBytes() + headers + segments + packetBytes;
    },
    sizeWithPage: (page) => file.sizeBytes + heldBytes() + page.bytes.length,
    add,
    addPage(page, granulePosition) {
      endPage();
      passed = page;
      granule = granulePosition;
    },
    addHeaders(packets) {
      for (const [index, packet] of packets.entries()) {
        add(packet, 0);
        if (index === 0) endPage();
      }
      endPage();
    },
    detach() {
      if (passed !== undefined) passed = { bytes: Buffer.from(passed.bytes) };
      if (body.length > 0) body = [Buffer.concat(body)];
    },
    end: () => writePage(LAST_FLAG),
  };
}

/** A packet is a run of 255s that ends with a smaller value, possibly 0. */
function lacingCount(packetBytes: number): number {
  return Math.floor(packetBytes / MAX_LACING) + 1;
}
