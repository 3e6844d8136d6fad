import type { ByteReader } from '../byte-reader.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import { unsupportedMedia } from '../cut-rules.ts';
import type { Timed } from '../look-ahead.ts';
import { type PagePackets, readPackets } from './packet-reader.ts';
import { readPages } from './page-reader.ts';
import {
  isVorbisIdentification,
  readVorbisHeaders,
  VORBIS_HEADER_PACKETS,
  type VorbisHeaders,
} from './vorbis-headers.ts';

/** An audio packet with the samples that it completes: a quarter of its window and of the one before. */
export interface VorbisPacket extends Timed {
  readonly bytes: Buffer;
}

export interface VorbisStream {
  readonly headers: VorbisHeaders;
  /** The first packet completes no samples: it only fills the decoder. */
  readonly packets: AsyncGenerator<readonly VorbisPacket[]>;
}

export async function openVorbisStream(reader: ByteReader, maxTagBytes: number): Promise<VorbisStream> {
  const batches = readPackets(readPages(reader), isVorbisIdentification);
  const headerPackets: Buffer[] = [];
  while (headerPackets.length < VORBIS_HEADER_PACKETS) {
    const batch = await batches.next();
    if (batch.done === true) throw unsupportedMedia('The Ogg stream holds no Vorbis audio.');
    const audioAt = takeHeaders(batch.value, headerPackets);
    if (audioAt === undefined) continue;
    const headers = readVorbisHeaders(headerPackets, maxTagBytes);
    return { headers, packets: walkVorbis(headers, batch.value.slice(audioAt), batches) };
  }
  throw unsupportedMedia('The Ogg stream holds no Vorbis audio.');
}

/** The index of the first page behind the headers; audio begins on a page of its own. */
function takeHeaders(pages: readonly PagePackets[], headerPackets: Buffer[]): number | undefined {
  for (const [index, page] of pages.entries()) {
    headerPackets.push(...page.packets);
    if (headerPackets.length > VORBIS_HEADER_PACKETS)
      throw new CopyNotPossibleError('audio shares a page with headers');
    if (headerPackets.length === VORBIS_HEADER_PACKETS) return index + 1;
  }
  return undefined;
}

/**
 * The page's granule position must be what the packets add up to. Two exceptions: a stream may begin at any
 * position (it was cut from a longer one), and the last page may end early, which trims its packets.
 */
async function* walkVorbis(
  headers: VorbisHeaders,
  firstPages: readonly PagePackets[],
  batches: AsyncIterable<readonly PagePackets[]>,
): AsyncGenerator<readonly VorbisPacket[]> {
  let previousBlock: number | undefined;
  let position = 0;
  let origin: number | undefined;

  function measure(page: PagePackets): readonly VorbisPacket[] {
    const packets = page.packets.map((bytes) => {
      const block = headers.blockSamples(bytes);
      const sampleCount = previousBlock === undefined ? 0 : (previousBlock + block) / 4;
      previousBlock = block;
      return { bytes, sampleCount };
    });
    const sampleCount = packets.reduce((sum, packet) => sum + packet.sampleCount, 0);
    position += sampleCount;
    if (page.granulePosition < 0) return packets;
    if (origin === undefined) origin = page.isLastPage ? 0 : page.granulePosition - position;
    if (origin < 0) throw new CopyNotPossibleError('the stream begins with samples to be dropped');
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

function trimEnd(packets: readonly VorbisPacket[], surplus: number): readonly VorbisPacket[] {
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
