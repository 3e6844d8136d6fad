import { unsupportedMedia } from '../../media-error.ts';
import type { FrameRun } from '../frames/frame-run.ts';
import { type FirstFrame, type FrameSyntax, findFirstFrame, walkFrames } from '../frames/frame-sync.ts';
import type { ByteReader } from '../source/byte-reader.ts';
import { readLeadingTag } from '../tags/id3v2.ts';
import {
  belongTogether,
  createFrameMatcher,
  HEADER_BYTES,
  MAX_FRAME_BYTES,
  type Mp3FrameHeader,
  readFrameHeader,
} from './frame-header.ts';
import { fitTag } from './id3-tag.ts';
import { type InfoFrame, readInfoFrame } from './info-frame.ts';

export interface Mp3Head {
  /**
   * The source's first ID3v2 tag, without pictures if it is larger than allowed; undefined if there is none.
   */
  readonly tag: Buffer | undefined;
  /** The first audio frame's header. */
  readonly header: Mp3FrameHeader;
  readonly info: InfoFrame | undefined;
  /**
   * The position in the source where the audio ends according to the info frame; undefined if that does not
   * state it.
   */
  readonly statedEnd: number | undefined;
  readonly junkBytes: number;
}

/** The maximum that is read of a tag. */
const MAX_WHOLE_TAG_BYTES = 16 * 1024 * 1024;

export const MP3_SYNTAX: FrameSyntax<Mp3FrameHeader> = {
  name: 'mp3',
  headerBytes: HEADER_BYTES,
  maxFrameBytes: MAX_FRAME_BYTES,
  readHeader: readFrameHeader,
  belongTogether,
  createMatcher: createFrameMatcher,
};

/** Reads up to the first audio frame. Throws UNSUPPORTED_MEDIA if there are no two consistent frames. */
export async function readMp3Head(reader: ByteReader, maxTagBytes: number): Promise<Mp3Head> {
  const whole = await readLeadingTag(reader, MAX_WHOLE_TAG_BYTES);
  const tag = whole && fitTag(whole, maxTagBytes);
  const first: FirstFrame<Mp3FrameHeader> | undefined = await findFirstFrame(reader, MP3_SYNTAX);
  if (first === undefined) throw unsupportedMedia('The source holds no MPEG Layer III audio.');
  const { header, junkBytes } = first;
  const info = readInfoFrame(reader.window.subarray(0, header.sizeBytes), header);
  if (info === undefined) return { tag, header, info, statedEnd: undefined, junkBytes };
  const statedEnd = info.byteCount === undefined ? undefined : reader.position + info.byteCount;
  reader.consume(header.sizeBytes);
  return { tag, header: readFrameHeader(reader.window, 0) ?? header, info, statedEnd, junkBytes };
}

/** Yields the audio frames in runs. Throws CopyNotPossibleError if there is too much junk. */
export function walkMp3(reader: ByteReader, head: Mp3Head): AsyncGenerator<FrameRun> {
  return walkFrames(reader, MP3_SYNTAX, head);
}
