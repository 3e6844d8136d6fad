import { unsupportedMedia } from '../../media-error.ts';
import { CopyNotPossibleError } from '../copy-contract.ts';
import { findBox } from './boxes.ts';
import { readItunesGapless } from './metadata.ts';

/**
 * Which of a track's samples are audible. The standard way is an edit list (ISO/IEC 14496-12 8.6.6); files by
 * iTunes and similar programs use a comment instead.
 */
interface Trimming {
  readonly audibleStart: number;
  readonly audibleEnd: number;
}

const EMPTY_EDIT = -1;
const NORMAL_RATE = 0x00010000;

export function readTrimming(
  moov: Buffer,
  track: Buffer,
  sampleRateHz: number,
  totalSamples: number,
): Trimming {
  const edits = readEditList(findBox(track, 'edts', 'elst'));
  const trimming =
    edits === undefined ? fromItunes(moov, totalSamples) : fromEdit(moov, edits, sampleRateHz, totalSamples);
  if (trimming.audibleStart >= trimming.audibleEnd)
    throw unsupportedMedia('The source holds no audible sample.');
  return trimming;
}

interface Edit {
  /** In the movie's time scale; 0 means to the end. */
  readonly duration: number;
  readonly mediaTime: number;
}

/** An empty edit at the beginning only delays the start and is skipped. */
function readEditList(body: Buffer | undefined): Edit | undefined {
  if (body === undefined) return undefined;
  const isLong = body[0] === 1;
  const entryBytes = isLong ? 20 : 12;
  const entryCount = body.readUInt32BE(4);
  let found: Edit | undefined;
  for (let entry = 0; entry < entryCount; entry++) {
    const at = 8 + entry * entryBytes;
    const duration = isLong ? Number(body.readBigUInt64BE(at)) : body.readUInt32BE(at);
    const mediaTime = isLong ? Number(body.readBigInt64BE(at + 8)) : body.readInt32BE(at + 4);
    if (mediaTime === EMPTY_EDIT) continue;
    if (found !== undefined || mediaTime < 0 || body.readUInt32BE(at + entryBytes - 4) !== NORMAL_RATE) {
      throw new CopyNotPossibleError('the track is edited');
    }
    found = { duration, mediaTime };
  }
  return found;
}

function fromEdit(moov: Buffer, edit: Edit, sampleRateHz: number, totalSamples: number): Trimming {
  const audibleStart = edit.mediaTime;
  const whole = { audibleStart, audibleEnd: totalSamples };
  const movieHeader = findBox(moov, 'mvhd');
  if (edit.duration === 0 || movieHeader === undefined) return whole;
  const movieTimescale = movieHeader.readUInt32BE(movieHeader[0] === 1 ? 20 : 12);
  if (movieTimescale === 0) return whole;
  const samplesPerTick = sampleRateHz / movieTimescale;
  const audibleEnd = audibleStart + Math.round(edit.duration * samplesPerTick);
  // The movie's ticks are often milliseconds: an end that close to the track's end is taken as the track's
  // end.
  return audibleEnd > totalSamples - samplesPerTick ? whole : { audibleStart, audibleEnd };
}

function fromItunes(moov: Buffer, totalSamples: number): Trimming {
  const gapless = readItunesGapless(moov);
  if (gapless === undefined) return { audibleStart: 0, audibleEnd: totalSamples };
  const { delaySamples, sampleCount } = gapless;
  return { audibleStart: delaySamples, audibleEnd: Math.min(totalSamples, delaySamples + sampleCount) };
}
