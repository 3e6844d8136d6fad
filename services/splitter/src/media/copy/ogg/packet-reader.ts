import { CopyNotPossibleError } from '../copy-contract.ts';
import type { OggPage } from './page-reader.ts';

/** The packets that end on one page of the chosen stream. */
export interface PagePackets {
  readonly packets: readonly Buffer[];
  readonly granulePosition: number;
  readonly isLastPage: boolean;
}

const MAX_PACKET_BYTES = 32 * 1024 * 1024;

/**
 * Picks one logical stream out of the pages and puts its packets together. The first stream whose first packet
 * `isWanted` is the one; streams beside it are passed over. Throws CopyNotPossibleError on a lost page and on a
 * chained stream.
 */
export async function* readPackets(
  pageBatches: AsyncIterable<readonly OggPage[]>,
  isWanted: (firstPacket: Buffer) => boolean,
): AsyncGenerator<readonly PagePackets[]> {
  let serial: number | undefined;
  let nextSequence = 0;
  let hasLaterPage = false;
  let unfinished: Buffer[] = [];
  let unfinishedBytes = 0;

  function unpack(page: OggPage): PagePackets {
    if (page.isContinued !== unfinishedBytes > 0)
      throw new CopyNotPossibleError('an Ogg packet is cut short');
    const packets: Buffer[] = [];
    let start = 0;
    let end = 0;
    for (const lacing of page.lacing) {
      end += lacing;
      if (lacing === 255) continue;
      const part = page.body.subarray(start, end);
      packets.push(unfinished.length === 0 ? part : Buffer.concat([...unfinished, part]));
      unfinished = [];
      unfinishedBytes = 0;
      start = end;
    }
    if (start < end) {
      unfinished.push(Buffer.from(page.body.subarray(start, end)));
      unfinishedBytes += end - start;
      if (unfinishedBytes > MAX_PACKET_BYTES) throw new CopyNotPossibleError('an Ogg packet is too large');
    }
    return { packets, granulePosition: page.granulePosition, isLastPage: page.isLast };
  }

  for await (const pages of pageBatches) {
    const batch: PagePackets[] = [];
    for (const page of pages) {
      if (page.isFirst) {
        if (hasLaterPage) throw new CopyNotPossibleError('the Ogg stream is chained');
        if (serial === undefined && isWanted(page.body)) {
          serial = page.serial;
          nextSequence = page.sequence;
        } else continue;
      } else hasLaterPage = true;
      if (page.serial !== serial) continue;
      if (page.sequence !== nextSequence) throw new CopyNotPossibleError('an Ogg page is missing');
      nextSequence = (page.sequence + 1) % 2 ** 32;
      batch.push(unpack(page));
    }
    if (batch.length > 0) yield batch;
  }
}
