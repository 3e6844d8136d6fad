/** Takes Ogg streams apart and builds them as RFC 3533 defines them, independently of the code under test. */
export interface Page {
  readonly flags: number;
  readonly granulePosition: number;
  readonly serial: number;
  readonly sequence: number;
  readonly lacing: readonly number[];
  readonly body: Buffer;
}

export const CONTINUED = 1;
export const FIRST = 2;
export const LAST = 4;
const HEADER_BYTES = 27;
const CRC_AT = 22;

/** Throws for any fault: the capture pattern, the version, a checksum. */
export function parsePages(file: Buffer): Page[] {
  const pages: Page[] = [];
  for (let at = 0; at < file.length; ) {
    const bodyAt = at + HEADER_BYTES + file.readUInt8(at + 26);
    const lacing = [...file.subarray(at + HEADER_BYTES, bodyAt)];
    const end = bodyAt + lacing.reduce((sum, value) => sum + value, 0);
    const page = {
      flags: file.readUInt8(at + 5),
      granulePosition: Number(file.readBigInt64LE(at + 6)),
      serial: file.readUInt32LE(at + 14),
      sequence: file.readUInt32LE(at + 18),
      lacing,
      body: file.subarray(bodyAt, end),
    };
    if (!formatPage(page).equals(file.subarray(at, end))) throw new Error(`no Ogg page at ${at}`);
    pages.push(page);
    at = end;
  }
  return pages;
}

export function formatPage({ flags, granulePosition, serial, sequence, lacing, body }: Page): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('OggS');
  header.writeUInt8(flags, 5);
  header.writeBigInt64LE(BigInt(granulePosition), 6);
  header.writeUInt32LE(serial, 14);
  header.writeUInt32LE(sequence, 18);
  header.writeUInt8(lacing.length, 26);
  const page = Buffer.concat([header, Buffer.from(lacing), body]);
  page.writeUInt32LE(slowCrc32(page), CRC_AT);
  return page;
}

/** The stream with other bytes at `at` in the body of page `pageIndex`, with a correct checksum. */
export function patchPage(file: Buffer, pageIndex: number, at: number, bytes: readonly number[]): Buffer {
  const pages = parsePages(Buffer.from(file));
  pages[pageIndex]?.body.set(bytes, at);
  return Buffer.concat(pages.map(formatPage));
}

export function slowCrc32(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0;
}

export interface Repaging {
  /** The most lacing values on a page. */
  readonly lacingPerPage: number;
  /** Added to every position. */
  readonly shiftSamples?: number;
  /** Changes the bytes of the audio packet `index`. */
  readonly replace?: (packet: Buffer, index: number) => Buffer;
}

/**
 * The stream repaginated: all pages are filled to the last lacing value, even if that splits a packet. `file`
 * must have one page per audio packet, because only pages state positions.
 */
export function repage(file: Buffer, headerPacketCount: number, options: Repaging): Buffer {
  const { lacingPerPage, shiftSamples = 0, replace = (packet) => packet } = options;
  const source = parsePages(file);
  let headerPages = 0;
  for (let packets = 0; packets < headerPacketCount; headerPages++) {
    packets += source[headerPages]?.lacing.filter((value) => value < 255).length ?? Number.NaN;
  }
  const pages = source.slice(0, headerPages);
  const { serial } = pages[0] ?? { serial: 0 };
  let lacing: number[] = [];
  let parts: Buffer[] = [];
  let granulePosition = -1;
  let flags = 0;

  function endPage(isInPacket: boolean): void {
    const body = Buffer.concat(parts);
    pages.push({ flags, granulePosition, serial, sequence: pages.length, lacing, body });
    lacing = [];
    parts = [];
    granulePosition = -1;
    flags = isInPacket ? CONTINUED : 0;
  }

  for (const [index, page] of source.slice(headerPages).entries()) {
    const packet = replace(page.body, index);
    for (let at = 0; at <= packet.length; at += 255) {
      if (lacing.length === lacingPerPage) endPage(at > 0);
      const part = packet.subarray(at, at + 255);
      lacing.push(part.length);
      parts.push(part);
    }
    granulePosition = page.granulePosition + shiftSamples;
  }
  flags |= LAST;
  endPage(false);
  return Buffer.concat(pages.map(formatPage));
}
