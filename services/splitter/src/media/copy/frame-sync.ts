import type { ByteReader } from './byte-reader.ts';
import { CopyNotPossibleError } from './copy-contract.ts';
import { foreignTagBytes } from './foreign-tags.ts';

/**
 * Finds the frames of a raw stream, where nothing but the frames' own headers tells them apart.
 *
 * A frame is trusted where its predecessor ended; anywhere else two matching headers in a row are asked for.
 * Bytes that belong to no frame and no known tag are junk: dropped, counted, and refused above a share of the
 * source, as what decoders make of them differs. Frames of another rate or channel count are junk too. A frame
 * cut short by the end of the source is dropped.
 */
export interface FrameSyntax<Header extends SizedHeader> {
  /** For messages. */
  readonly name: string;
  readonly headerBytes: number;
  readonly maxFrameBytes: number;
  readHeader(buffer: Buffer, at: number): Header | undefined;
  /** Whether two frames can follow one another in one stream. */
  belongTogether(a: Header, b: Header): boolean;
}

export interface SizedHeader {
  readonly sizeBytes: number;
}

export interface SyncedFrame<Header> {
  readonly bytes: Buffer;
  readonly header: Header;
}

export interface FirstFrame<Header> {
  readonly header: Header;
  /** Dropped in front of it. */
  readonly junkBytes: number;
}

const MAX_LEADING_JUNK_BYTES = 256 * 1024;
const MAX_JUNK_SHARE = 0.01;
/** Junk comes in bursts: before the end, the share is judged only from here on. */
const EARLY_VERDICT_JUNK_BYTES = 64 * 1024;

/** Leaves the reader at the first of two consistent frames; undefined if there are none near the start. */
export async function findFirstFrame<Header extends SizedHeader>(
  reader: ByteReader,
  syntax: FrameSyntax<Header>,
): Promise<FirstFrame<Header> | undefined> {
  await reader.fill(MAX_LEADING_JUNK_BYTES);
  const at = findFrame(syntax, reader.window, 0, reader.ended);
  const header = syntax.readHeader(reader.window, at);
  if (header === undefined || at > MAX_LEADING_JUNK_BYTES) return undefined;
  reader.consume(at);
  return { header, junkBytes: at };
}

/** Yields the frames like `first`, several at a time. Throws CopyNotPossibleError on too much junk. */
export async function* walkFrames<Header extends SizedHeader>(
  reader: ByteReader,
  syntax: FrameSyntax<Header>,
  first: FirstFrame<Header>,
): AsyncGenerator<readonly SyncedFrame<Header>[]> {
  let { junkBytes } = first;
  for (;;) {
    const { window, ended } = reader;
    const frames: SyncedFrame<Header>[] = [];
    const scanEnd = window.length - (ended ? 0 : syntax.maxFrameBytes) - syntax.headerBytes;
    let at = 0;
    let tagBytes = 0;
    while (at <= scanEnd) {
      const header = syntax.readHeader(window, at);
      if (header !== undefined && syntax.belongTogether(header, first.header)) {
        const end = at + header.sizeBytes;
        if (end > window.length) break;
        frames.push({ bytes: window.subarray(at, end), header });
        at = end;
        continue;
      }
      tagBytes = foreignTagBytes(window, at);
      if (tagBytes > 0) break;
      const next = findFrame(syntax, window, at + 1, ended, first.header);
      junkBytes += next - at;
      at = next;
    }
    reader.consume(at);
    if (junkBytes > EARLY_VERDICT_JUNK_BYTES) refuseJunk(syntax, junkBytes, reader.position);
    if (frames.length > 0) yield frames;
    if (tagBytes > 0) await reader.skip(tagBytes);
    else if (ended) break;
    else await reader.fill(reader.window.length + 1);
  }
  await reader.drain();
  refuseJunk(syntax, junkBytes, reader.position);
}

/**
 * The first position from `from` on where a frame (like `like`, if given) is followed by its equal, or in an
 * ended source by the end. Where there is none, the first position that cannot be judged yet.
 */
function findFrame<Header extends SizedHeader>(
  syntax: FrameSyntax<Header>,
  window: Buffer,
  from: number,
  ended: boolean,
  like?: Header,
): number {
  const end = ended ? window.length : window.length - syntax.maxFrameBytes - syntax.headerBytes + 1;
  let at = from;
  for (;;) {
    at = window.indexOf(0xff, at);
    if (at < 0 || at >= end) return Math.max(from, end);
    const header = syntax.readHeader(window, at);
    if (header !== undefined && (like === undefined || syntax.belongTogether(header, like))) {
      const next = syntax.readHeader(window, at + header.sizeBytes);
      if (next !== undefined && syntax.belongTogether(next, header)) return at;
      if (like !== undefined && ended && at + header.sizeBytes === window.length) return at;
    }
    at += 1;
  }
}

/** One lost frame is always allowed: it must not condemn a short source. */
function refuseJunk(
  syntax: Pick<FrameSyntax<SizedHeader>, 'name' | 'maxFrameBytes'>,
  junkBytes: number,
  sourceBytes: number,
): void {
  if (junkBytes > Math.max(syntax.maxFrameBytes, sourceBytes * MAX_JUNK_SHARE)) {
    throw new CopyNotPossibleError(`${junkBytes} of ${sourceBytes} bytes belong to no ${syntax.name} frame`);
  }
}
