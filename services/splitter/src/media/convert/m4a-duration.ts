/**
 * Gives an m4a its exact length.
 *
 * ffmpeg's muxer counts the movie in milliseconds and older builds let nobody choose, so the edit list that
 * trims the encoder's delay and padding is rounded. All fields concerned have a fixed size: setting the
 * movie's time scale to the sample rate and the three durations in samples needs no rebuilding.
 */
import { open } from 'node:fs/promises';
import { boxes, descend } from './audible-end.ts';

/** A segment's index: an m4a of 24 hours has about 20 MB. */
const MAX_HEAD_BYTES = 64 * 1024 * 1024;
const UINT32_MAX = 0xffff_ffff;

/** Returns the encoder delay in samples. Throws where the file is not as ffmpeg writes it. */
export async function setExactDuration(
  path: string,
  sampleCount: number,
  sampleRateHz: number,
): Promise<void> {
  await using handle = await open(path, 'r+');
  const prefix = Buffer.alloc(16);
  await handle.read(prefix, 0, 16, 0);
  const moovStart = prefix.readUInt32BE(0);
  await handle.read(prefix, 0, 16, moovStart);
  const moovBytes = prefix.readUInt32BE(0);
  if (prefix.toString('latin1', 4, 8) !== 'moov' || moovBytes > MAX_HEAD_BYTES)
    throw new Error('m4a without a leading moov');
  const moov = Buffer.alloc(moovBytes - 8);
  await handle.read(moov, 0, moov.length, moovStart + 8);
  // 24 h at 48 kHz still fit; a longer one at a higher rate keeps its milliseconds.
  if (sampleCount > UINT32_MAX) return;

  const mvhd = descend(moov, 'mvhd');
  const trak = descend(moov, 'trak');
  const tkhd = trak && descend(trak, 'tkhd');
  const elst = trak && descend(trak, 'edts', 'elst');
  if (!mvhd || !tkhd || !elst || mvhd[0] !== 0 || tkhd[0] !== 0 || elst[0] !== 0)
    throw new Error('unexpected m4a layout');
  mvhd.writeUInt32BE(sampleRateHz, 12);
  mvhd.writeUInt32BE(sampleCount, 16);
  tkhd.writeUInt32BE(sampleCount, 20);
  elst.writeUInt32BE(sampleCount, 8);
  await handle.write(moov, 0, moov.length, moovStart + 8);
}

/** The audible samples: what the edit list shows, if the media behind it reaches that far. */
export function m4aSampleCount(moov: Buffer): number | undefined {
  const trak = boxes(moov).find((box) => box.type === 'trak')?.body;
  const elst = trak && descend(trak, 'edts', 'elst');
  const mdhd = trak && descend(trak, 'mdia', 'mdhd');
  if (!elst || !mdhd) return undefined;
  const shown = elst.readUInt32BE(8);
  return mdhd.readUInt32BE(16) >= elst.readInt32BE(12) + shown ? shown : undefined;
}
