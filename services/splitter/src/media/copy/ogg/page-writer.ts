import type { SegmentFile } from '../segment-file.ts';
import { crc32 } from './crc32.ts';
import { CONTINUED_FLAG, CRC_AT, FIRST_FLAG, LAST_FLAG, PAGE_HEADER_BYTES } from './page-reader.ts';

/**
 * Packs packets into the pages of a new logical stream. A page is held back until the next packet comes, as only
 * then it is known not to be the last.
 */
export interface OggPageWriter {
  /** The most the file takes if this packet is the last one. */
  sizeWith(packetBytes: number): number;
  /** `granulePosition`: where the packet ends. */
  add(packet: Buffer, granulePosition: number): void;
  /** The first packet gets a page of its own, and audio begins on a new one (RFC 3533 4). */
  addHeaders(packets: readonly Buffer[]): void;
  /** Ends the stream with the last packet added. */
  end(): void;
}

const MAX_LACING = 255;
/** As libogg does: a page is closed once it holds this much. */
const PAGE_BODY_BYTES = 4096;
const NO_PACKET_ENDS = -1;

/** `serial` may be any number: the file holds one stream. */
export function createPageWriter(file: SegmentFile, serial: number): OggPageWriter {
  let sequence = 0;
  let lacing: number[] = [];
  let body: Buffer[] = [];
  let bodyBytes = 0;
  let granule = NO_PACKET_ENDS;
  let isContinued = false;

  function writePage(flags: number): void {
    const header = Buffer.alloc(PAGE_HEADER_BYTES + lacing.length);
    header.write('OggS', 'latin1');
    header.writeUInt8(flags | (isContinued ? CONTINUED_FLAG : 0) | (sequence === 0 ? FIRST_FLAG : 0), 5);
    header.writeBigInt64LE(BigInt(granule), 6);
    header.writeUInt32LE(serial, 14);
    header.writeUInt32LE(sequence, 18);
    header.writeUInt8(lacing.length, PAGE_HEADER_BYTES - 1);
    header.set(lacing, PAGE_HEADER_BYTES);
    let crc = crc32(header);
    for (const part of body) crc = crc32(part, crc);
    header.writeUInt32LE(crc, CRC_AT);
    file.append(header);
    for (const part of body) file.append(part);
    sequence += 1;
    lacing = [];
    body = [];
    bodyBytes = 0;
    granule = NO_PACKET_ENDS;
    isContinued = false;
  }

  function endPage(): void {
    if (lacing.length > 0) writePage(0);
  }

  function add(packet: Buffer, granulePosition: number): void {
    if (bodyBytes >= PAGE_BODY_BYTES || lacing.length + lacingCount(packet.length) > MAX_LACING) endPage();
    let at = 0;
    for (let left = lacingCount(packet.length); left > 0; left--) {
      if (lacing.length === MAX_LACING) {
        writePage(0);
        isContinued = true;
      }
      const part = packet.subarray(at, at + MAX_LACING);
      lacing.push(part.length);
      bodyBytes += part.length;
      body.push(part);
      at += part.length;
    }
    granule = granulePosition;
  }

  return {
    sizeWith(packetBytes) {
      const pending = lacing.length === 0 ? 0 : PAGE_HEADER_BYTES + lacing.length + bodyBytes;
      const segments = lacingCount(packetBytes);
      const headers = PAGE_HEADER_BYTES * Math.ceil(segments / MAX_LACING);
      return file.sizeBytes + pending + headers + segments + packetBytes;
    },
    add,
    addHeaders(packets) {
      for (const [index, packet] of packets.entries()) {
        add(packet, 0);
        if (index === 0) endPage();
      }
      endPage();
    },
    end: () => writePage(LAST_FLAG),
  };
}

/** A packet is a run of 255s closed by a smaller value, 0 if need be. */
function lacingCount(packetBytes: number): number {
  return Math.floor(packetBytes / MAX_LACING) + 1;
}
