import { CopyNotPossibleError } from '../copy-contract.ts';
import type { OggPage } from './page-reader.ts';

/** The packets that end on one page of the chosen stream. */
export interface PagePackets {
  readonly page: OggPage;
  /** The first of them, put together, where it began on an earlier page. */
  readonly continued: Buffer | undefined;
  /** Where each of them ends in the page's body. */
  readonly ends: readonly number[];
  /** Whether the page holds whole packets only. */
  readonly isSelfContained: boolean;
}

export function packetAt({ page, continued, ends }: PagePackets, index: number): Buffer {
  if (index === 0 && continued !== undefined) return continued;
  return page.body.subarray(ends[index - 1] ?? 0, ends[index]);
}

export function packetsOf(page: PagePackets): Buffer[] {
  return page.ends.map((_, index) => packetAt(page, index));
}

const MAX_PACKET_BYTES = 32 * 1024 * 1024;

/**
 * Picks one logical stream out of the pages and finds its packets. The first stream whose first packet
 * `isWanted` is the one; streams beside it are passed over. Throws CopyNotPossibleError on a lost page, on a
 * chained stream and on one that goes on behind the page marked as its last (RFC 3533 6): what that page's position
 * trims would lie in the middle then.
 */
export async function* readPackets(
  pageBatches: AsyncIterable<readonly OggPage[]>,
  isWanted: (firstPacket: Buffer) => boolean,
): AsyncGenerator<readonly PagePackets[]> {
  let serial: number | undefined;
  let nextSequence = 0;
  let hasLaterPage = false;
  let hasEnded = false;
  let unfinished: Buffer[] = [];
  let unfinishedBytes = 0;

  function unpack(page: OggPage): PagePackets {
    const { isContinued, lacing, body } = page;
    if (isContinued !== unfinishedBytes > 0) throw new CopyNotPossibleError('an Ogg packet is cut short');
    const ends: number[] = [];
    let at = 0;
    for (let index = 0; index < lacing.length; index++) {
      const value = lacing[index] ?? 0;
      at += value;
      if (value < 255) ends.push(at);
    }
    const [firstEnd] = ends;
    let continued: Buffer | undefined;
    if (isContinued && firstEnd !== undefined) {
      continued = Buffer.concat([...unfinished, body.subarray(0, firstEnd)]);
      unfinished = [];
      unfinishedBytes = 0;
    }
    const end = ends.at(-1) ?? 0;
    if (end < at) {
      unfinished.push(Buffer.from(body.subarray(end, at)));
      unfinishedBytes += at - end;
      if (unfinishedBytes > MAX_PACKET_BYTES) throw new CopyNotPossibleError('an Ogg packet is too large');
    }
    return { page, continued, ends, isSelfContained: !isContinued && end === at };
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
      if (hasEnded) throw new CopyNotPossibleError('the Ogg stream goes on behind its end');
      hasEnded = page.isLast;
      nextSequence = (page.sequence + 1) % 2 ** 32;
      batch.push(unpack(page));
    }
    if (batch.length > 0) yield batch;
  }
}
