/** The info frame of an mp3 file, which follows its tag. */

import { type Mp3FrameHeader, readFrameHeader } from '../../copy/mp3/frame-header.ts';
import { DECODER_DELAY_SAMPLES, readInfoFrame } from '../../copy/mp3/info-frame.ts';
import { id3v2Bytes } from '../../copy/tags/id3v2.ts';

const ID3_HEADER_BYTES = 10;
/** More than the largest frame. */
const MAX_INFO_FRAME_BYTES = 4_096;

interface Mp3Info {
  /** The position of the frame in the file. */
  readonly offset: number;
  readonly frame: Buffer;
  readonly header: Mp3FrameHeader;
  readonly frameCount: number;
  readonly delaySamples: number;
  readonly paddingSamples: number;
}

/** Reads bytes from `start` on; fewer if the file ends. */
type ReadBytes = (start: number, length: number) => Promise<Buffer>;

/** undefined if the file has no such frame, or the frame does not state the number of audible samples. */
export async function readMp3Info(read: ReadBytes): Promise<Mp3Info | undefined> {
  const offset = id3v2Bytes(await read(0, ID3_HEADER_BYTES), 0);
  const bytes = await read(offset, MAX_INFO_FRAME_BYTES);
  const header = readFrameHeader(bytes, 0);
  if (header === undefined) return undefined;
  const frame = bytes.subarray(0, header.sizeBytes);
  const info = readInfoFrame(frame, header);
  if (info?.frameCount === undefined || info.gapless === undefined) return undefined;
  return { offset, frame, header, frameCount: info.frameCount, ...info.gapless };
}

/**
 * The samples of the frames minus those that players skip: the encoder's and the decoder's delay at the
 * beginning, and the padding without the decoder's delay at the end.
 */
export async function audibleMp3Samples(read: ReadBytes): Promise<number | undefined> {
  const info = await readMp3Info(read);
  if (info === undefined) return undefined;
  const { frameCount, header, delaySamples, paddingSamples } = info;
  const trimmedSamples = Math.max(0, paddingSamples - DECODER_DELAY_SAMPLES);
  return frameCount * header.samplesPerFrame - (delaySamples + DECODER_DELAY_SAMPLES) - trimmedSamples;
}
