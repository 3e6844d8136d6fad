import type { ByteReader } from '../byte-reader.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import { unsupportedMedia } from '../cut-rules.ts';
import { readLeadingTag } from '../id3v2.ts';
import type { Timed } from '../look-ahead.ts';
import {
  belongTogether,
  HEADER_BYTES,
  MAX_FRAME_BYTES,
  type Mp3FrameHeader,
  mainDataOffset,
  readFrameHeader,
  readMainDataBegin,
} from './frame-header.ts';
import { type InfoFrame, readInfoFrame } from './info-frame.ts';
import { foreignTagBytes } from './tags.ts';

/**
 * Finds the Layer III frames of a byte stream.
 *
 * A frame is trusted where its predecessor ended; anywhere else two matching headers in a row are asked for.
 * Bytes that belong to no frame and no known tag are junk: dropped, counted, and refused above a share of the
 * source, as what decoders make of them differs. A frame of another rate or channel count counts as junk too.
 * A frame cut short by the end of the source is dropped.
 */
export interface Mp3Frame extends Timed {
  readonly bytes: Buffer;
  readonly mainDataBegin: number;
  readonly mainDataOffset: number;
  readonly bitrateIndex: number;
}

export interface Mp3Head {
  /** The source's first ID3v2 tag; undefined if there is none or it is larger than allowed. */
  readonly tag: Buffer | undefined;
  /** The first audio frame's header. */
  readonly header: Mp3FrameHeader;
  readonly info: InfoFrame | undefined;
  readonly junkBytes: number;
}

const MAX_LEADING_JUNK_BYTES = 256 * 1024;
const MAX_JUNK_SHARE = 0.01;
/** One lost frame must not condemn a short source. */
const ALWAYS_ALLOWED_JUNK_BYTES = MAX_FRAME_BYTES;
/** Junk comes in bursts: before the end, the share is judged only from here on. */
const EARLY_VERDICT_JUNK_BYTES = 64 * 1024;
const FRAME_AND_NEXT_HEADER_BYTES = MAX_FRAME_BYTES + HEADER_BYTES;

/** Reads up to the first audio frame. Throws UNSUPPORTED_MEDIA where there are no two consistent frames. */
export async function readMp3Head(reader: ByteReader, maxTagBytes: number): Promise<Mp3Head> {
  const tag = await readLeadingTag(reader, maxTagBytes);
  await reader.fill(MAX_LEADING_JUNK_BYTES);
  const first = findFrame(reader.window, 0, reader.ended);
  const header = readFrameHeader(reader.window, first);
  if (header === undefined || first > MAX_LEADING_JUNK_BYTES) {
    throw unsupportedMedia('The source holds no MPEG Layer III audio.');
  }
  reader.consume(first);
  const info = readInfoFrame(reader.window.subarray(0, header.sizeBytes), header);
  if (info === undefined) return { tag, header, info, junkBytes: first };
  reader.consume(header.sizeBytes);
  return { tag, header: readFrameHeader(reader.window, 0) ?? header, info, junkBytes: first };
}

/** Yields the frames behind `head`, several at a time. Throws CopyNotPossibleError on too much junk. */
export async function* walkMp3(reader: ByteReader, head: Mp3Head): AsyncGenerator<readonly Mp3Frame[]> {
  let junkBytes = head.junkBytes;
  for (;;) {
    const { window, ended } = reader;
    const frames: Mp3Frame[] = [];
    const scanEnd = window.length - (ended ? HEADER_BYTES : FRAME_AND_NEXT_HEADER_BYTES);
    let at = 0;
    let tagBytes = 0;
    while (at <= scanEnd) {
      const header = readFrameHeader(window, at);
      if (header !== undefined && belongTogether(header, head.header)) {
        if (at + header.sizeBytes > window.length) break;
        frames.push(frameAt(window, at, header));
        at += header.sizeBytes;
        continue;
      }
      tagBytes = foreignTagBytes(window, at);
      if (tagBytes > 0) break;
      const next = findFrame(window, at + 1, ended, head.header);
      junkBytes += next - at;
      at = next;
    }
    reader.consume(at);
    if (junkBytes > EARLY_VERDICT_JUNK_BYTES) refuseJunk(junkBytes, reader.position);
    if (frames.length > 0) yield frames;
    if (tagBytes > 0) await reader.skip(tagBytes);
    else if (ended) break;
    else await reader.fill(reader.window.length + 1);
  }
  await reader.drain();
  refuseJunk(junkBytes, reader.position);
}

function frameAt(window: Buffer, at: number, header: Mp3FrameHeader): Mp3Frame {
  return {
    bytes: window.subarray(at, at + header.sizeBytes),
    sampleCount: header.samplesPerFrame,
    mainDataBegin: readMainDataBegin(window, at, header),
    mainDataOffset: mainDataOffset(header),
    bitrateIndex: header.bitrateIndex,
  };
}

/**
 * The first position from `from` on where a frame (like `like`, if given) is followed by its equal, or in an
 * ended source by the end. Where there is none, the first position that cannot be judged yet.
 */
function findFrame(window: Buffer, from: number, ended: boolean, like?: Mp3FrameHeader): number {
  const end = ended ? window.length : window.length - FRAME_AND_NEXT_HEADER_BYTES + 1;
  let at = from;
  for (;;) {
    at = window.indexOf(0xff, at);
    if (at < 0 || at >= end) return Math.max(from, end);
    const header = readFrameHeader(window, at);
    if (header !== undefined && (like === undefined || belongTogether(header, like))) {
      const next = readFrameHeader(window, at + header.sizeBytes);
      if (next !== undefined && belongTogether(next, header)) return at;
      if (like !== undefined && ended && at + header.sizeBytes === window.length) return at;
    }
    at += 1;
  }
}

function refuseJunk(junkBytes: number, sourceBytes: number): void {
  if (junkBytes > Math.max(ALWAYS_ALLOWED_JUNK_BYTES, sourceBytes * MAX_JUNK_SHARE)) {
    throw new CopyNotPossibleError(`${junkBytes} of ${sourceBytes} bytes belong to no mp3 frame`);
  }
}
