import { CopyNotPossibleError } from '../copy-contract.ts';
import type { OggPage } from './page-reader.ts';

/** The packets that end on one page of the chosen stream. */
export interface PagePackets {
  readonly page: OggPage;
  /** The first packet, assembled, if it began on an earlier page. */
  readonly continued: Buffer | undefined;
  /** The end of each packet in the page's body. */
  readonly ends: readonly number[];
  /** Whether the page contains only whole packets. */
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
 * Selects one logical stream from the pages and finds its packets: the first stream whose first packet
 * `isWanted`. Parallel streams are skipped. Throws CopyNotPossibleError for a lost page, a chained stream,
 * and a stream that continues after the page marked as its last (RFC 3533 6), because the samples trimmed by
 * that page would then be in the middle.
 *
 * `resumedSerial`: the serial of a stream that is not read from its beginning. If its first page begins with
 * the end of a packet, that packet is not assembled.
 */
export async function* readPackets(
  pageBatches: AsyncIterable<readonly OggPage[]>,
  isWanted: (firstPacket: Buffer) => boolean,
  resumedSerial?: number,
): AsyncGenerator<readonly PagePackets[]> {
  let serial = resumedSerial;
  let nextSequence: number | undefined;
  let hasLaterPage = resumedSerial !== undefined;
  let hasEnded = false;
  let unfinished: Buffer[] = [];
  let unfinishedBytes = 0;

  function unpack(page: OggPage, isResumed: boolean): PagePackets {
    const { isContinued, lacing, body } = page;
    if (!isResumed && isContinued !== unfinishedBytes > 0)
      throw new CopyNotPossibleError('an Ogg packet is cut short');
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
        } else continue;
      } else hasLaterPage = true;
      if (page.serial !== serial) continue;
      const isNext = nextSequence === undefined || page.sequence === nextSequence;
      if (!isNext) throw new CopyNotPossibleError('an Ogg page is missing');
      if (hasEnded) throw new CopyNotPossibleError('the Ogg stream goes on behind its end');
      hasEnded = page.isLast;
      const isResumed = resumedSerial !== undefined && nextSequence === undefined;
      nextSequence = (page.sequence + 1) % 2 ** 32;
      batch.push(unpack(page, isResumed));
    }
    if (batch.length > 0) yield batch;
  }
}
