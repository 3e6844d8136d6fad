/**
 * Prepares an Ogg stream for the decoder: passes on whole pages with a correct checksum, and nothing else.
 *
 * Builds of ffmpeg handle broken streams differently. Old builds check no checksums, play damaged pages and
 * lose the pages that a damaged page appears to cover. Builds also differ at the last Vorbis block: old ones
 * play all of it, new ones end it where its page says. In that case the filter removes the flag of the last
 * page, so that every build plays the whole block, and `surplusSamples` returns how many samples to trim from
 * its end.
 */
import { CRC_AT, LAST_FLAG, pageChecksum, pageLength } from '../../copy/ogg/page-reader.ts';
import { createVorbisEnd } from './vorbis-end.ts';

interface OggPageFilter {
  readonly bytes: AsyncGenerator<Uint8Array>;
  /** How many samples the last block holds after the end. Call it when `bytes` have ended. */
  surplusSamples(): number;
}

const CAPTURE_PATTERN = 'OggS';
const FLAGS_AT = 5;

export function createOggPageFilter(source: AsyncIterable<Uint8Array>): OggPageFilter {
  const end = createVorbisEnd();
  let surplusSamples = 0;

  async function* bytes(): AsyncGenerator<Uint8Array> {
    /** Flagged as the last page of a stream; another stream may be chained to it. */
    let last: Buffer | undefined;
    for await (const page of intactPages(source)) {
      if (last !== undefined) yield last;
      last = undefined;
      end.note(page);
      if (isMarkedLast(page)) last = Buffer.from(page);
      else yield page;
    }
    if (last === undefined) return;
    surplusSamples = end.surplusSamples();
    yield surplusSamples > 0 ? withoutMark(last) : last;
  }

  return { bytes: bytes(), surplusSamples: () => surplusSamples };
}

async function* intactPages(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let window = Buffer.alloc(0);
  let at = 0;

  /** The next page in the window. Moves to its end, or to the next position where a page may begin. */
  function next(isWhole: boolean): Buffer | undefined {
    for (;;) {
      const found = window.indexOf(CAPTURE_PATTERN, at, 'latin1');
      if (found < 0) {
        at = Math.max(at, window.length - CAPTURE_PATTERN.length + 1);
        return undefined;
      }
      at = found;
      const end = found + (pageLength(window, found) ?? Number.POSITIVE_INFINITY);
      if (end > window.length && !isWhole) return undefined;
      const page = window.subarray(found, end);
      if (end <= window.length && pageChecksum(page) === page.readUInt32LE(CRC_AT)) {
        at = end;
        return page;
      }
      at = found + 1;
    }
  }

  for await (const chunk of source) {
    window = Buffer.concat([window.subarray(at), chunk]);
    at = 0;
    for (let page = next(false); page !== undefined; page = next(false)) yield page;
  }
  for (let page = next(true); page !== undefined; page = next(true)) yield page;
}

function isMarkedLast(page: Buffer): boolean {
  return ((page[FLAGS_AT] ?? 0) & LAST_FLAG) !== 0;
}

function withoutMark(page: Buffer): Buffer {
  const unmarked = Buffer.from(page);
  unmarked.writeUInt8((page[FLAGS_AT] ?? 0) & ~LAST_FLAG, FLAGS_AT);
  unmarked.writeUInt32LE(pageChecksum(unmarked), CRC_AT);
  return unmarked;
}
