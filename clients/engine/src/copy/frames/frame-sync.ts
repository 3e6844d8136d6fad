import { CopyNotPossibleError } from '../copy-contract.ts';
import type { ByteReader } from '../source/byte-reader.ts';
import { foreignTagBytes } from '../tags/foreign-tags.ts';
import type { FrameRun } from './frame-run.ts';

/**
 * Finds the frames of a raw stream, in which only the frames' own headers separate them.
 *
 * A frame is accepted where its predecessor ended; anywhere else two matching headers in a row are required.
 * Bytes that belong to no frame and no known tag are junk: they are dropped and counted, and the source is
 * refused above a certain share, because decoders treat junk differently. Frames of another rate or channel
 * count are junk too. A frame cut short by the end of the source is dropped.
 */
export interface FrameSyntax<Header extends SizedHeader> {
  /** For messages. */
  readonly name: string;
  readonly headerBytes: number;
  readonly maxFrameBytes: number;
  readHeader(buffer: Buffer, at: number): Header | undefined;
  /** Whether two frames can follow one another in one stream. */
  belongTogether(a: Header, b: Header): boolean;
  /** Matches the frames that belong to the same stream as `like`. */
  createMatcher(like: Header): FrameMatcher;
}

/** Called for every frame, so it allocates no objects. */
export interface FrameMatcher {
  /** The length of the stream's frame whose header is at `at`; 0 if there is none. */
  frameBytes(window: Buffer, at: number): number;
  /** The number of samples in that frame. */
  frameSamples(window: Buffer, at: number): number;
}

/** A reader's window, and how far frames can be judged in it. */
interface ScannedWindow {
  readonly window: Buffer;
  /** The position of the window in the source. */
  readonly windowStart: number;
  /** From this position in the window on, frames cannot be judged yet. */
  readonly scanEnd: number;
  /** Whether the source ends with the window. */
  readonly isLast: boolean;
}

interface SizedHeader {
  readonly sizeBytes: number;
}

export interface FirstFrame<Header> {
  readonly header: Header;
  /** The bytes dropped before it. */
  readonly junkBytes: number;
}

const MAX_LEADING_JUNK_BYTES = 256 * 1024;
const MAX_JUNK_SHARE = 0.01;
/** Junk comes in bursts: before the end, the share is checked only above this amount. */
const EARLY_VERDICT_JUNK_BYTES = 64 * 1024;

/** Leaves the reader at the first of two consistent frames; undefined if there are none near the start. */
export async function findFirstFrame<Header extends SizedHeader>(
  reader: ByteReader,
  syntax: FrameSyntax<Header>,
): Promise<FirstFrame<Header> | undefined> {
  await reader.fill(MAX_LEADING_JUNK_BYTES);
  const { window } = reader;
  const end = Math.min(scannableBytes(syntax, reader), MAX_LEADING_JUNK_BYTES + 1);
  for (let at = 0; ; at++) {
    at = window.indexOf(0xff, at);
    if (at < 0 || at >= end) return undefined;
    const header = syntax.readHeader(window, at);
    const next = header && syntax.readHeader(window, at + header.sizeBytes);
    if (header === undefined || next === undefined || !syntax.belongTogether(next, header)) continue;
    reader.consume(at);
    return { header, junkBytes: at };
  }
}

/**
 * Yields the frames that belong with `first`, in runs. Throws CopyNotPossibleError if there is too much junk.
 */
export async function* walkFrames<Header extends SizedHeader>(
  reader: ByteReader,
  syntax: FrameSyntax<Header>,
  first: FirstFrame<Header>,
): AsyncGenerator<FrameRun> {
  const matcher = syntax.createMatcher(first.header);
  let { junkBytes } = first;
  for (;;) {
    const { window, position, ended } = reader;
    const scanEnd = scannableBytes(syntax, reader);
    const scanned: ScannedWindow = { window, windowStart: position, scanEnd, isLast: ended };
    let at = 0;
    let tagBytes = 0;
    while (at < scanEnd) {
      const run = takeRun(matcher, scanned, at);
      const end = run.offsets.at(-1) ?? at;
      if (end > at) {
        yield run;
        at = end;
        continue;
      }
      const isCutShort = matcher.frameBytes(window, at) > 0;
      tagBytes = isCutShort ? 0 : foreignTagBytes(window, at);
      if (isCutShort || tagBytes > 0) break;
      const next = findNextFrame(matcher, scanned, at + 1);
      junkBytes += next - at;
      at = next;
    }
    reader.consume(at);
    if (junkBytes > EARLY_VERDICT_JUNK_BYTES) refuseJunk(syntax, junkBytes, reader.position);
    if (tagBytes > 0) await reader.skip(tagBytes);
    else if (ended) break;
    else await reader.fill(reader.window.length + 1);
  }
  await reader.drain();
  refuseJunk(syntax, junkBytes, reader.position);
}

/**
 * A frame that begins before this position can be judged: the next header is in the window, or the source has
 * ended.
 */
function scannableBytes(
  syntax: Pick<FrameSyntax<SizedHeader>, 'headerBytes' | 'maxFrameBytes'>,
  { window, ended }: ByteReader,
): number {
  return window.length - syntax.headerBytes + 1 - (ended ? 0 : syntax.maxFrameBytes);
}

/** The whole frames from `from` on that have the same number of samples; none if no frame begins there. */
function takeRun(
  matcher: FrameMatcher,
  { window, windowStart, scanEnd }: ScannedWindow,
  from: number,
): FrameRun {
  const samplesPerFrame = matcher.frameSamples(window, from);
  const offsets = [from];
  for (let at = from; at < scanEnd; ) {
    const sizeBytes = matcher.frameBytes(window, at);
    const end = at + sizeBytes;
    if (sizeBytes === 0 || end > window.length) break;
    if (matcher.frameSamples(window, at) !== samplesPerFrame) break;
    offsets.push(end);
    at = end;
  }
  return { window, windowStart, offsets, samplesPerFrame };
}

/**
 * The first position from `from` on where a frame is followed by another one or, after the end of the source,
 * by the end. If there is none, the first position that cannot be judged yet.
 */
function findNextFrame(
  matcher: FrameMatcher,
  { window, scanEnd, isLast }: ScannedWindow,
  from: number,
): number {
  for (let at = from; ; at++) {
    at = window.indexOf(0xff, at);
    if (at < 0 || at >= scanEnd) return Math.max(from, scanEnd);
    const sizeBytes = matcher.frameBytes(window, at);
    if (sizeBytes === 0) continue;
    const end = at + sizeBytes;
    if (matcher.frameBytes(window, end) > 0 || (isLast && end === window.length)) return at;
  }
}

/** One lost frame is always allowed, so that a short source is not refused because of it. */
function refuseJunk(
  syntax: Pick<FrameSyntax<SizedHeader>, 'name' | 'maxFrameBytes'>,
  junkBytes: number,
  sourceBytes: number,
): void {
  if (junkBytes > Math.max(syntax.maxFrameBytes, sourceBytes * MAX_JUNK_SHARE)) {
    throw new CopyNotPossibleError(`${junkBytes} of ${sourceBytes} bytes belong to no ${syntax.name} frame`);
  }
}
