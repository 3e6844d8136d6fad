/**
 * Gives an m4a its exact length.
 *
 * ffmpeg's muxer counts the movie in milliseconds, and older builds have no option to change that, so the
 * edit list that trims the encoder's delay and padding is rounded. All fields concerned have a fixed size:
 * the movie's time scale is set to the sample rate and the three durations to samples, and nothing needs to
 * be rebuilt.
 *
 * Many decoders, among them ffmpeg up to 5.1, apply the beginning of an edit but play its last frame to the
 * end. To leave nothing to play there, a segment's samples are preceded by as many others as fill the last
 * frame, and the edit begins after those.
 */
import { open } from 'node:fs/promises';
import { findBox } from '../../copy/m4a/boxes.ts';

/** AAC-LC (ISO/IEC 14496-3 section 4.5.2.1). */
const FRAME_SAMPLES = 1_024;
/** The index of a segment: an m4a of 24 hours has about 20 MB. */
const MAX_HEAD_BYTES = 64 * 1024 * 1024;
const UINT32_MAX = 0xffff_ffff;
const INT32_MAX = 0x7fff_ffff;
const MVHD_BYTES = 20;
const TKHD_BYTES = 24;
const MDHD_BYTES = 20;
const ELST_BYTES = 20;

export const MAX_LEAD_IN_SAMPLES = FRAME_SAMPLES - 1;

/** The number of samples to put before `sampleCount` so that both together fill complete frames. */
export function leadInSamples(sampleCount: number): number {
  return (FRAME_SAMPLES - (sampleCount % FRAME_SAMPLES)) % FRAME_SAMPLES;
}

/**
 * `leadIn` samples were encoded before the `sampleCount` ones. Throws if the file is not as ffmpeg writes it.
 */
export async function setExactDuration(
  path: string,
  sampleCount: number,
  sampleRateHz: number,
  leadIn = 0,
): Promise<void> {
  await using handle = await open(path, 'r+');
  const { size: fileBytes } = await handle.stat();
  const prefix = Buffer.alloc(16);
  await handle.read(prefix, 0, 16, 0);
  const moovStart = prefix.readUInt32BE(0);
  await handle.read(prefix, 0, 16, moovStart);
  const moovBytes = prefix.readUInt32BE(0);
  // Memory is allocated only for bytes that exist, regardless of the header.
  const maxMoovBytes = Math.min(MAX_HEAD_BYTES, fileBytes - moovStart);
  if (prefix.toString('latin1', 4, 8) !== 'moov' || moovBytes < 8 || moovBytes > maxMoovBytes)
    throw new Error('m4a without a leading moov');
  const moov = Buffer.alloc(moovBytes - 8);
  await handle.read(moov, 0, moov.length, moovStart + 8);
  // 24 h at 48 kHz still fit; a longer one at a higher rate keeps its milliseconds.
  if (sampleCount > UINT32_MAX) return;

  const mvhd = versionZero(findBox(moov, 'mvhd'), MVHD_BYTES);
  const tkhd = versionZero(findBox(moov, 'trak', 'tkhd'), TKHD_BYTES);
  const elst = versionZero(findBox(moov, 'trak', 'edts', 'elst'), ELST_BYTES);
  if (!mvhd || !tkhd || !elst) throw new Error('unexpected m4a layout');
  mvhd.writeUInt32BE(sampleRateHz, 12);
  mvhd.writeUInt32BE(sampleCount, 16);
  tkhd.writeUInt32BE(sampleCount, 20);
  elst.writeUInt32BE(sampleCount, 8);
  const editStart = elst.readInt32BE(12) + leadIn;
  if (editStart < 0 || editStart > INT32_MAX) throw new Error('unexpected m4a edit list');
  elst.writeInt32BE(editStart, 12);
  await handle.write(moov, 0, moov.length, moovStart + 8);
}

/** The audible samples: the range of the edit list, if the media extends that far. */
export function m4aSampleCount(moov: Buffer): number | undefined {
  const mdhd = versionZero(findBox(moov, 'trak', 'mdia', 'mdhd'), MDHD_BYTES);
  const elst = versionZero(findBox(moov, 'trak', 'edts', 'elst'), ELST_BYTES);
  if (!mdhd || !elst) return undefined;
  const shown = elst.readUInt32BE(8);
  return mdhd.readUInt32BE(16) >= elst.readInt32BE(12) + shown ? shown : undefined;
}

/** Such a box, if it has all requested fields. */
function versionZero(box: Buffer | undefined, bytes: number): Buffer | undefined {
  return box !== undefined && box.length >= bytes && box[0] === 0 ? box : undefined;
}
