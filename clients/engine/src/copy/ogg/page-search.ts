/**
 * Finds an Ogg page near a time without walking to it: pages state the position of the last packet that ends
 * on them. A page is accepted if all pages after it in the same read belong to the one stream and are
 * consecutive. If another stream is interleaved or follows, nothing is found and every page is walked.
 */
import type { LocalFile } from '../../source/local-file.ts';
import { readPart } from '../../source/read-part.ts';
import { createPlaceSearch, type PlaceSearch, type SourcePlace } from '../source/place-search.ts';
import { CRC_AT, type OggPage, pageChecksum, pageLength, parsePage } from './page-reader.ts';
import type { OggStream } from './stream-walker.ts';

/** Two whole pages of any size, at any alignment. */
const LOOK_BYTES = 192 * 1024;
/**
 * Bytes that only look like a page are very rare. If there are more, the search is given up, because it would
 * be slow.
 */
const MAX_FALSE_PAGES = 4;

/** Finds places after pages: `position` is where such a page begins, `sample` where its last packet ends. */
export function createPageSearch(
  file: LocalFile,
  { serial, origin }: Pick<OggStream<unknown>, 'serial' | 'origin'>,
  lookBytes = LOOK_BYTES,
): PlaceSearch {
  async function look(position: number): Promise<SourcePlace | undefined> {
    const firstSample = origin();
    if (firstSample === undefined) return undefined;
    const page = findEntry(await readPart(file, position, lookBytes), serial);
    return page && { position: position + page.start, sample: page.granulePosition - firstSample };
  }

  let end: Promise<SourcePlace | undefined> | undefined;

  async function lookAtEnd(): Promise<SourcePlace | undefined> {
    const last = await look(Math.max(0, file.sizeBytes - lookBytes));
    return last && { position: file.sizeBytes, sample: last.sample };
  }

  return createPlaceSearch({
    lookBytes,
    look,
    findEnd() {
      end ??= lookAtEnd();
      return end;
    },
  });
}

/** Also undefined if a page of another stream follows, or a page is missing. */
function findEntry(window: Buffer, serial: number): OggPage | undefined {
  let entry: OggPage | undefined;
  let nextSequence: number | undefined;
  for (
    let page = firstPage(window);
    page !== undefined;
    page = pageAt(window, page.start + page.bytes.length)
  ) {
    const isNext = nextSequence === undefined || page.sequence === nextSequence;
    if (page.serial !== serial || page.isFirst || !isNext) return undefined;
    nextSequence = (page.sequence + 1) % 2 ** 32;
    if (entry === undefined && isEntry(page)) entry = page;
  }
  return entry;
}

/** Whether a packet begins and ends on the page, and others follow. */
function isEntry({ isContinued, isLast, lacing, granulePosition }: OggPage): boolean {
  if (isLast || granulePosition < 0) return false;
  const firstEnd = lacing.findIndex(isPacketEnd);
  return isContinued ? lacing.subarray(firstEnd + 1).some(isPacketEnd) : firstEnd >= 0;
}

/** RFC 3533 section 6: a packet ends with a lacing value below 255. */
function isPacketEnd(lacingValue: number): boolean {
  return lacingValue < 255;
}

function firstPage(window: Buffer): OggPage | undefined {
  let falsePages = 0;
  for (let at = window.indexOf('OggS'); at >= 0; at = window.indexOf('OggS', at + 1)) {
    const bytes = pageBytesAt(window, at);
    if (bytes === undefined) continue;
    if (pageChecksum(bytes) === bytes.readUInt32LE(CRC_AT)) return parsePage(bytes, at);
    falsePages += 1;
    if (falsePages === MAX_FALSE_PAGES) return undefined;
  }
  return undefined;
}

/** Undefined if there is none, or an incomplete one. Throws CopyNotPossibleError if its checksum is wrong. */
function pageAt(window: Buffer, at: number): OggPage | undefined {
  if (window.toString('latin1', at, at + 4) !== 'OggS') return undefined;
  const bytes = pageBytesAt(window, at);
  return bytes && parsePage(bytes, at);
}

function pageBytesAt(window: Buffer, at: number): Buffer | undefined {
  const byteCount = pageLength(window, at);
  return byteCount === undefined || at + byteCount > window.length
    ? undefined
    : window.subarray(at, at + byteCount);
}
