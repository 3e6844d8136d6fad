/**
 * Gives an encoded mp3 its exact length.
 *
 * If the samples almost fill their last frame, the encoder adds another one, and ffmpeg states at most 1,681
 * samples of padding, up to 47 too few: the file would play that much longer. The LAME tag has 12 bits for
 * the figure, which suffices for the true number.
 */
import { open } from 'node:fs/promises';
import { restatePadding } from '../../copy/mp3/info-frame.ts';
import { readRange } from '../input/source-file.ts';
import { readMp3Info } from './mp3-info.ts';

const MAX_PADDING_SAMPLES = 0xfff;

/** Throws if the file is not as ffmpeg writes it. */
export async function setExactPadding(path: string, sampleCount: number): Promise<void> {
  const info = await readMp3Info((start, length) => readRange(path, start, length));
  if (info === undefined) throw new Error('an mp3 without a complete info frame');
  const { offset, frame, header, frameCount, delaySamples, paddingSamples } = info;
  const exact = frameCount * header.samplesPerFrame - delaySamples - sampleCount;
  if (exact === paddingSamples) return;
  // An impossible value is ignored: the count of the file's samples then decides.
  if (exact < 0 || exact > MAX_PADDING_SAMPLES) return;
  restatePadding(frame, header, exact);
  await using handle = await open(path, 'r+');
  await handle.write(frame, 0, frame.length, offset);
}
