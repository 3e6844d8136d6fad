/**
 * How many samples the last block of a Vorbis stream extends beyond its end, even if pages before it are
 * lost.
 */
import { CONTINUED_FLAG, FIRST_FLAG, LAST_FLAG, PAGE_HEADER_BYTES } from '../../copy/ogg/page-reader.ts';
import type { PacketMeter } from '../../copy/ogg/stream-walker.ts';
import { createVorbisCodec } from '../../copy/ogg/vorbis-headers.ts';

interface VorbisEnd {
  /** Call it with every page of the file. */
  note(page: Buffer): void;
  /** 0 for a file that does not end with the last page of a Vorbis stream. */
  surplusSamples(): number;
}

interface Stream {
  readonly serial: number;
  nextSequence: number;
  /**
   * The packet that continues after the page: all its bytes in the headers, only its first byte in the audio.
   */
  unfinished: Buffer | undefined;
  headers: Buffer[];
  meter: PacketMeter | undefined;
  /** The end of the last page with a known position, and the samples completed since. */
  position: number | undefined;
  completedSamples: number;
}

/** More than any header packet has. */
const MAX_HEADER_BYTES = 32 * 1024 * 1024;

export function createVorbisEnd(): VorbisEnd {
  const codec = createVorbisCodec(0);
  let stream: Stream | undefined;
  let surplus = 0;

  function begin(page: Buffer): void {
    surplus = 0;
    stream = codec.isIdentification(bodyOf(page))
      ? {
          serial: page.readUInt32LE(14),
          nextSequence: page.readUInt32LE(18),
          unfinished: undefined,
          headers: [],
          meter: undefined,
          position: 0,
          completedSamples: 0,
        }
      : undefined;
  }

  function noteOf(open: Stream, page: Buffer): void {
    const flags = page.readUInt8(5);
    const granule = Number(page.readBigInt64LE(6));
    const sequence = page.readUInt32LE(18);
    const isNext = sequence === open.nextSequence;
    open.nextSequence = (sequence + 1) % 2 ** 32;
    if (!isNext) {
      open.unfinished = undefined;
      open.position = undefined;
    }
    for (const packet of packetsOf(open, page, (flags & CONTINUED_FLAG) !== 0)) take(open, packet);
    if (granule < 0) return;
    const expected = open.position === undefined ? granule : open.position + open.completedSamples;
    const isLast = (flags & LAST_FLAG) !== 0;
    surplus = isLast ? Math.max(0, Math.min(expected - granule, open.completedSamples)) : 0;
    open.position = granule;
    open.completedSamples = 0;
  }

  function take(open: Stream, packet: Buffer): void {
    if (open.meter !== undefined) {
      open.completedSamples += open.meter(packet, 0, packet.length);
      return;
    }
    open.headers.push(Buffer.from(packet));
    if (open.headers.length === codec.headerPacketCount)
      open.meter = codec.createMeter(codec.readHeaders(open.headers));
  }

  return {
    note(page) {
      try {
        if ((page.readUInt8(5) & FIRST_FLAG) !== 0) begin(page);
        if (stream !== undefined && page.readUInt32LE(14) === stream.serial) noteOf(stream, page);
      } catch {
        // Invalid packets are left to the decoder.
        stream = undefined;
        surplus = 0;
      }
    },
    surplusSamples: () => surplus,
  };
}

/** The packets that end on the page. A packet that began on a lost page is left out. */
function* packetsOf(open: Stream, page: Buffer, isContinued: boolean): Generator<Buffer> {
  const body = bodyOf(page);
  const begun = isContinued ? open.unfinished : undefined;
  let isLost = isContinued && begun === undefined;
  let head = begun ?? Buffer.alloc(0);
  let start = 0;
  let end = 0;
  for (const value of page.subarray(PAGE_HEADER_BYTES, page.length - body.length)) {
    end += value;
    if (value === 255) continue;
    if (!isLost)
      yield head.length === 0 ? body.subarray(start, end) : Buffer.concat([head, body.subarray(start, end)]);
    isLost = false;
    head = Buffer.alloc(0);
    start = end;
  }
  const isWhole = start === end && head.length === 0;
  const kept = open.meter === undefined ? MAX_HEADER_BYTES : 1;
  open.unfinished =
    isWhole || isLost ? undefined : Buffer.concat([head, body.subarray(start, end)]).subarray(0, kept);
}

function bodyOf(page: Buffer): Buffer {
  return page.subarray(PAGE_HEADER_BYTES + page.readUInt8(PAGE_HEADER_BYTES - 1));
}
