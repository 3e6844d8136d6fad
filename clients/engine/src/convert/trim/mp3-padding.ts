/**
 * Gives an encoded mp3 its exact length.
 *
 * Where the samples fill all but a little of their last frame the encoder adds one more, and ffmpeg states at
 * most 1,681 samples of padding, up to 47 too few: the file would play that much longer. The LAME tag itself
 * has 12 bits for the figure, enough for what the frames really hold.
 */
import { open } from 'node:fs/promises';
import { restatePadding } from '../../copy/mp3/info-frame.ts';
import { readRange } from '../input/source-file.ts';
import { readMp3Info } from './mp3-info.ts';

const MAX_PADDING_SAMPLES = 0xfff;

/** Throws where the file is not as ffmpeg writes it. */
export async function setExactPadding(path: string, sampleCount: number): Promise<void> {
  const info = await readMp3Info((start, length) => readRange(path, start, length));
  if (info === undefined) throw new Error('an mp3 without a complete info frame');
  const { offset, frame, header, frameCount, delaySamples, paddingSamples } = info;
  const exact = frameCount * header.samplesPerFrame - delaySamples - sampleCount;
  if (exact === paddingSamples) return;
  // A wrong figure is left as it is: the count of what the file holds then tells.
  if (exact < 0 || exact > MAX_PADDING_SAMPLES) return;
  restatePadding(frame, header, exact);
  await using handle = await open(path, 'r+');
  await handle.write(frame, 0, frame.length, offset);
}
