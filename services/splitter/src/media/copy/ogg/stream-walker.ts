import type { ByteReader } from '../byte-reader.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import { unsupportedMedia } from '../cut-rules.ts';
import type { Timed } from '../look-ahead.ts';
import { type PagePackets, readPackets } from './packet-reader.ts';
import { readPages } from './page-reader.ts';

/** What the walker has to know of a codec carried in Ogg. */
export interface OggCodec<Headers> {
  readonly name: string;
  readonly headerPacketCount: number;
  /** Whether a stream's first packet is this codec's. */
  isIdentification(packet: Buffer): boolean;
  readHeaders(packets: readonly Buffer[]): Headers;
  /** A function that tells, packet by packet and in order, how many samples each completes. */
  createMeter(headers: Headers): (packet: Buffer) => number;
}

/** An audio packet with the samples that it completes, the end of the stream's trimmed off. */
export interface OggPacket extends Timed {
  readonly bytes: Buffer;
}

export interface OggStream<Headers> {
  readonly headers: Headers;
  readonly packets: AsyncGenerator<readonly OggPacket[]>;
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
      headerPackets.push(...page.packets);
      if (headerPackets.length > codec.headerPacketCount) {
        throw new CopyNotPossibleError('audio shares an Ogg page with headers');
      }
      if (headerPackets.length < codec.headerPacketCount) continue;
      const headers = codec.readHeaders(headerPackets);
      const rest = batch.value.slice(index + 1);
      return { headers, packets: walkPackets(codec.createMeter(headers), rest, batches) };
    }
  }
}

/**
 * A page's granule position must be what the packets add up to. Two exceptions: a stream may begin at any
 * position (it was cut from a longer one), and the last page may end early, which trims its packets.
 */
async function* walkPackets(
  meter: (packet: Buffer) => number,
  firstPages: readonly PagePackets[],
  batches: AsyncIterable<readonly PagePackets[]>,
): AsyncGenerator<readonly OggPacket[]> {
  let position = 0;
  let origin: number | undefined;

  function measure(page: PagePackets): readonly OggPacket[] {
    const packets = page.packets.map((bytes) => ({ bytes, sampleCount: meter(bytes) }));
    const sampleCount = packets.reduce((sum, packet) => sum + packet.sampleCount, 0);
    position += sampleCount;
    if (page.granulePosition < 0) return packets;
    origin ??= page.isLastPage ? 0 : page.granulePosition - position;
    if (origin < 0) throw new CopyNotPossibleError('the Ogg stream begins with samples to be dropped');
    const surplus = position + origin - page.granulePosition;
    if (surplus === 0) return packets;
    if (!page.isLastPage || surplus < 0 || surplus > sampleCount) {
      throw new CopyNotPossibleError('Ogg positions and packets disagree');
    }
    return trimEnd(packets, surplus);
  }

  yield firstPages.flatMap(measure);
  for await (const pages of batches) yield pages.flatMap(measure);
}

function trimEnd(packets: readonly OggPacket[], surplus: number): readonly OggPacket[] {
  let left = surplus;
  return packets
    .toReversed()
    .map(({ bytes, sampleCount }) => {
      const trimmed = Math.min(left, sampleCount);
      left -= trimmed;
      return { bytes, sampleCount: sampleCount - trimmed };
    })
    .toReversed();
}
