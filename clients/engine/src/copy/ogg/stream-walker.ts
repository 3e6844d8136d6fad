import { unsupportedMedia } from '../../media-error.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import type { ByteReader } from '../source/byte-reader.ts';
import type { Timed } from '../source/look-ahead.ts';
import { type PagePackets, packetAt, packetsOf, readPackets } from './packet-reader.ts';
import { readPages } from './page-reader.ts';

/** Returns how many samples are completed by the packet in `bytes` from `start` to `end`. */
export type PacketMeter = (bytes: Buffer, start: number, end: number) => number;

/** What the walker needs for a codec in Ogg. */
export interface OggCodec<Headers> {
  readonly name: string;
  readonly headerPacketCount: number;
  /** Whether a stream's first packet is this codec's. */
  isIdentification(packet: Buffer): boolean;
  readHeaders(packets: readonly Buffer[]): Headers;
  /** The meter receives every audio packet once, in order. */
  createMeter(headers: Headers): PacketMeter;
}

/**
 * The packets (at least one) that end on a page, with the number of samples that each completes before the
 * stream's end.
 */
export interface AudioPage extends PagePackets, Timed {
  /** By packet. */
  readonly sampleCounts: readonly number[];
  /** Whether the end of the stream lies inside the page, so that packets may complete no samples. */
  readonly isTrimmed: boolean;
}

type AudioPages = AsyncGenerator<readonly AudioPage[]>;

export interface OggStream<Headers> {
  readonly headers: Headers;
  readonly serial: number;
  readonly pages: AudioPages;
  /**
   * The position of a page that ends before any sample; undefined until a page with audio has been walked.
   */
  readonly origin: () => number | undefined;
  /** Continues after the page that the reader has reached, on which a packet must begin and end. */
  resume(): Promise<ResumedStream>;
}

interface ResumedStream {
  /** Of that page. */
  readonly lastPacket: Buffer;
  readonly pages: AudioPages;
}

/** Reads the headers of the first stream of the codec. Throws UNSUPPORTED_MEDIA if there is none. */
export async function openOggStream<Headers>(
  reader: ByteReader,
  codec: OggCodec<Headers>,
): Promise<OggStream<Headers>> {
  const batches = readPackets(readPages(reader), codec.isIdentification);
  const headerPackets: Buffer[] = [];
  for (;;) {
    const batch = await batches.next();
    if (batch.done === true) throw unsupportedMedia(`The Ogg stream holds no ${codec.name} audio.`);
    for (const [index, page] of batch.value.entries()) {
      headerPackets.push(...packetsOf(page));
      if (headerPackets.length > codec.headerPacketCount) {
        throw new CopyNotPossibleError('audio shares an Ogg page with headers');
      }
      if (headerPackets.length < codec.headerPacketCount) continue;
      const headers = codec.readHeaders(headerPackets);
      const rest = batch.value.slice(index + 1);
      const { serial } = page.page;
      const walker = createPageWalker(codec.createMeter(headers));
      return {
        headers,
        serial,
        pages: walker.walk(rest, batches),
        origin: walker.origin,
        resume: () => resumeAt(reader, serial, walker),
      };
    }
  }
}

async function resumeAt(
  reader: ByteReader,
  serial: number,
  { enter, walk }: PageWalker,
): Promise<ResumedStream> {
  const batches = readPackets(readPages(reader), () => false, serial);
  const first = await batches.next();
  const [entry, ...rest] = first.done === true ? [] : first.value;
  if (entry === undefined) throw new CopyNotPossibleError('no Ogg page where one should be');
  return { lastPacket: enter(entry), pages: walk(rest, batches) };
}

interface PageWalker {
  origin(): number | undefined;
  /**
   * Trusts the page's position, and meters its last packet, which affects the next one; returns that packet.
   */
  enter(page: PagePackets): Buffer;
  walk(firstPages: readonly PagePackets[], batches: AsyncIterable<readonly PagePackets[]>): AudioPages;
}

/**
 * A page's granule position must be the sum of the packets. Two exceptions: a stream may begin at any
 * position (it was cut from a longer one), and the last page may end early, which trims its packets.
 */
function createPageWalker(meter: PacketMeter): PageWalker {
  let position = 0;
  let origin: number | undefined;

  function measure(packets: PagePackets): AudioPage {
    const { granulePosition, isLast } = packets.page;
    const sampleCounts = meterPackets(packets, meter);
    const sampleCount = sampleCounts.reduce((sum, count) => sum + count, 0);
    const whole = { ...packets, sampleCounts, sampleCount, isTrimmed: false };
    position += sampleCount;
    if (granulePosition < 0) return whole;
    origin ??= isLast ? 0 : granulePosition - position;
    if (origin < 0) throw new CopyNotPossibleError('the Ogg stream begins with samples to be dropped');
    const surplus = position + origin - granulePosition;
    if (surplus === 0) return whole;
    if (!isLast || surplus < 0 || surplus > sampleCount) {
      throw new CopyNotPossibleError('Ogg positions and packets disagree');
    }
    return {
      ...packets,
      sampleCounts: trimEnd(sampleCounts, surplus),
      sampleCount: sampleCount - surplus,
      isTrimmed: true,
    };
  }

  const measureAll = (pages: readonly PagePackets[]): readonly AudioPage[] =>
    pages.map(measure).filter((page) => page.ends.length > 0);

  return {
    origin: () => origin,
    enter(packets) {
      const packet = packetAt(packets, packets.ends.length - 1);
      meter(packet, 0, packet.length);
      position = packets.page.granulePosition - (origin ?? 0);
      return packet;
    },
    async *walk(firstPages, batches) {
      yield measureAll(firstPages);
      for await (const pages of batches) yield measureAll(pages);
    },
  };
}

function meterPackets({ page, continued, ends }: PagePackets, meter: PacketMeter): number[] {
  let start = 0;
  return ends.map((end, index) => {
    const packetStart = start;
    start = end;
    if (index === 0 && continued !== undefined) return meter(continued, 0, continued.length);
    return meter(page.body, packetStart, end);
  });
}

function trimEnd(sampleCounts: readonly number[], surplus: number): readonly number[] {
  let left = surplus;
  return sampleCounts
    .toReversed()
    .map((count) => {
      const trimmed = Math.min(left, count);
      left -= trimmed;
      return count - trimmed;
    })
    .toReversed();
}
