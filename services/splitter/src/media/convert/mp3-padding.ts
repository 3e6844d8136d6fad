/**
 * Gives an encoded mp3 its exact length.
 *
 * Where the samples fill all but a little of their last frame the encoder adds one more, and ffmpeg states at
 * most 1,681 samples of padding, up to 47 too few: the file would play that much longer. The LAME tag itself
 * has 12 bits for the figure, enough for what the frames really hold.
 */
import { open } from 'node:fs/promises';
import { id3v2Bytes } from '../copy/id3v2.ts';
import { readFrameHeader } from '../copy/mp3/frame-header.ts';
import { readInfoFrame, restatePadding } from '../copy/mp3/info-frame.ts';

const ID3_HEADER_BYTES = 10;
/** More than the largest frame. */
const INFO_FRAME_BYTES = 2_048;
const MAX_PADDING_SAMPLES = 0xfff;

/** Throws where the file is not as ffmpeg writes it. */
export async function setExactPadding(path: string, sampleCount: number): Promise<void> {
  await using handle = await open(path, 'r+');
  const id3Header = Buffer.alloc(ID3_HEADER_BYTES);
  await handle.read(id3Header, 0, ID3_HEADER_BYTES, 0);
  const at = id3v2Bytes(id3Header, 0);
  const { bytesRead, buffer } = await handle.read(Buffer.alloc(INFO_FRAME_BYTES), 0, INFO_FRAME_BYTES, at);
  const frame = buffer.subarray(0, bytesRead);
  const header = readFrameHeader(frame, 0);
  const info = header && readInfoFrame(frame, header);
  if (header === undefined || info?.frameCount === undefined || info.gapless === undefined) {
    throw new Error('an mp3 without a complete info frame');
  }
  const { delaySamples, paddingSamples } = info.gapless;
  const exact = info.frameCount * header.samplesPerFrame - delaySamples - sampleCount;
  if (exact === paddingSamples) return;
  // A wrong figure is left as it is: the count of what the file holds then tells.
  if (exact < 0 || exact > MAX_PADDING_SAMPLES) return;
  restatePadding(frame, header, exact);
  await handle.write(frame, 0, bytesRead, at);
}
