/**
 * Finds the frames of an mp3 of constant bitrate without walking to them.
 *
 * By the standard, the length of all frames up to any one differs from the bitrate's by less than a byte
 * (ISO/IEC 11172-3 2.4.2.3, padding_bit), so a frame's number determines its position and vice versa. The
 * bitrate is known to be constant if as many frames as the info frame counts lead exactly to the last frames;
 * any other bytes in between would move them. Without a count it is known from the positions of frames in
 * between: frames of another bitrate are rarely at the computed positions by chance.
 */
import { createLocalFileReader, type LocalFile } from '../../source/local-file.ts';
import { readPart } from '../../source/read-part.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import { frameCount } from '../frames/frame-run.ts';
import { openByteReader } from '../source/byte-reader.ts';
import { createFrameMatcher, MAX_FRAME_BYTES, meanFrameBytes, readBitrateIndex } from './frame-header.ts';
import { type Mp3Head, readMp3Head, walkMp3 } from './walker.ts';

export interface Mp3FramePlace {
  /** The position of the frame's first byte in the source. */
  readonly position: number;
  readonly frameIndex: number;
}

/**
 * The position of the frame, or of one near the end if that comes earlier. Undefined if no frame is at the
 * computed position.
 */
export type FindMp3Frame = (frameIndex: number) => Promise<Mp3FramePlace | undefined>;

interface ConstantFramesOptions {
  readonly head: Mp3Head;
  /** The position of the first frame after the info frame. */
  readonly start: number;
  readonly signal: AbortSignal;
}

/** The number of consecutive frames that are checked. */
const ROW_FRAMES = 16;
const LAST_FRAMES = 64;
/** As shares of the distance to the last frames. */
const PLACES_BETWEEN = [0.2, 0.4, 0.6, 0.8];

/** Undefined if the bitrate is not known to be constant. */
export async function findConstantFrames(
  file: LocalFile,
  options: ConstantFramesOptions,
): Promise<FindMp3Frame | undefined> {
  const { head, start } = options;
  const { header, info } = head;
  // The header may be VBRI, which is not read and precedes only variable bitrates.
  if (info !== undefined && info.frameCount === undefined) return undefined;
  const meanBytes = meanFrameBytes(header);
  const lastIndex = (info?.frameCount ?? Math.floor((file.sizeBytes - start) / meanBytes)) - LAST_FRAMES;
  if (lastIndex < 0) return undefined;
  const matcher = createFrameMatcher(header);

  function isRow(window: Buffer, from: number): boolean {
    let at = from;
    for (let count = 0; count < ROW_FRAMES; count++) {
      const frameBytes = matcher.frameBytes(window, at);
      if (frameBytes === 0 || readBitrateIndex(window, at) !== header.bitrateIndex) return false;
      at += frameBytes;
    }
    return true;
  }

  async function find(frameIndex: number): Promise<Mp3FramePlace | undefined> {
    const index = Math.min(frameIndex, lastIndex);
    const first = Math.floor(start + index * meanBytes) - 1;
    const window = await readPart(file, first, ROW_FRAMES * MAX_FRAME_BYTES);
    const at = [1, 0, 2].find((offset) => isRow(window, offset));
    return at === undefined ? undefined : { position: first + at, frameIndex: index };
  }

  async function areFoundBetween(): Promise<boolean> {
    for (const share of PLACES_BETWEEN)
      if ((await find(Math.floor(share * lastIndex))) === undefined) return false;
    return true;
  }

  const place = await find(lastIndex);
  if (place === undefined) return undefined;
  const counted = await countFrom(file, place.position, options);
  const isConstant =
    info === undefined ? counted !== undefined && (await areFoundBetween()) : counted === LAST_FRAMES;
  return isConstant ? find : undefined;
}

/** Whether the frames of an mp3 can be found in this way. Throws the errors of reading its head. */
export async function isBitrateConstant(file: LocalFile, signal: AbortSignal): Promise<boolean> {
  const { chunks, memory } = createLocalFileReader(file);
  await using reader = openByteReader(chunks(), { signal, memory, onBytes: () => undefined });
  const head = await readMp3Head(reader, 0);
  return (await findConstantFrames(file, { head, start: reader.position, signal })) !== undefined;
}

/** The number of frames from there to the end; undefined if there is too much junk. */
async function countFrom(
  file: LocalFile,
  position: number,
  { head, signal }: ConstantFramesOptions,
): Promise<number | undefined> {
  const { chunks, memory } = createLocalFileReader(file, position);
  await using reader = openByteReader(chunks(), { signal, memory, onBytes: () => undefined });
  let count = 0;
  try {
    for await (const run of walkMp3(reader, { ...head, junkBytes: 0 })) count += frameCount(run);
  } catch (error) {
    if (error instanceof CopyNotPossibleError) return undefined;
    throw error;
  }
  return count;
}
