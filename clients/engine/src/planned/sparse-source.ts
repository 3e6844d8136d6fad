/**
 * Determines which sources are fetched only where they are read: those that are copied, or encoded by parts,
 * for requests that only need positions in time. Most formats find their frames by arithmetic, a table or the frames' own
 * numbers. Frames of an ADTS, and of an mp3 with a variable bitrate, are found only by walking to them, so
 * those sources are fetched up to the end of the last cut. Of all other sources every byte is read, so that
 * damage is noticed.
 */
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { soundOptions } from '@audiosplit/cuts/encoding-options';
import { contentSeconds, type Piece } from '@audiosplit/cuts/plan/piece';
import type { CopyContainer } from '../copy/copy-contract.ts';
import { isBitrateConstant } from '../copy/mp3/constant-frames.ts';
import { copyRoute } from '../copy-route.ts';
import type { OutputFormat } from '../formats/formats.ts';
import { ownCopy } from '../formats/own-format.ts';
import type { SplitOptions } from '../media.ts';
import { MediaError } from '../media-error.ts';
import type { SniffedSource } from '../sniff/sniff.ts';
import type { PlannedSource } from './planned-source.ts';

/** A smaller source is fetched in less time than a few requests take. */
const MIN_BYTES = 16 * 1024 * 1024;
/** The share of the source above which one request for all of it is cheaper. */
const MAX_SHARE = 0.25;
/** The same share if the source is read from its beginning on. */
const MAX_WALKED_SHARE = 0.9;
const MAX_REQUESTS = 32;

/** The number of requests per piece. */
const REQUESTS: ReadonlyMap<CopyContainer | undefined, number> = new Map([
  ['wav', 1],
  ['m4a', 1],
  // A few reads to find its first frame.
  ['flac', 4],
  ['mp3', 1],
  ['adts', 1],
  // A few reads to find its first page.
  ['ogg-vorbis', 4],
  ['ogg-opus', 4],
]);

/**
 * The formats whose encoders get the same samples from a part of the source as from the whole: by pieces
 * (`encode-pieces.ts`), or from plain samples.
 */
const ENCODED_BY_PARTS: Readonly<Partial<Record<CopyContainer, readonly OutputFormat[]>>> = {
  wav: ['mp3', 'aac', 'flac', 'ogg'],
  mp3: ['aac', 'flac', 'ogg'],
  flac: ['mp3', 'ogg'],
};

/** Whether to keep the source as a file with holes. */
export function mayBeSparse(
  request: CutRequest,
  { outputFormat }: Pick<SplitOptions, 'outputFormat'>,
  sizeBytes: number,
  sniffed: SniffedSource,
): boolean {
  if (sizeBytes < MIN_BYTES || !namesPlaces(request)) return false;
  const container = ownCopy(sniffed)?.container;
  if (outputFormat === undefined || copyRoute(sniffed, { outputFormat }) !== undefined)
    return REQUESTS.has(container);
  // A dry run of an encoding decodes all of it for its length, and may draw it.
  if (request.dryRun === true || container === undefined) return false;
  return ENCODED_BY_PARTS[container]?.includes(outputFormat) === true;
}

/**
 * Whether the frames can be found without walking to them; an mp3 shows that at its beginning and its end.
 */
export async function isFoundWithoutWalk(
  { sniffed, file }: PlannedSource,
  signal: AbortSignal,
): Promise<boolean> {
  if (sniffed.container === 'adts') return false;
  if (sniffed.container !== 'mp3') return true;
  try {
    return await isBitrateConstant(file, signal);
  } catch (error) {
    // If the head is invalid, the route will report it.
    if (error instanceof MediaError) return false;
    throw error;
  }
}

/** Whether every requested piece has an end, so that the data after it is not needed. */
export function namesEnds(request: CutRequest): boolean {
  if (request.splitMode !== 'ranges') return request.trim?.end !== undefined;
  return request.ranges?.every(({ end }) => end !== undefined) === true;
}

/** Whether positions are known without decoding, and not the whole source is requested. */
function namesPlaces(request: CutRequest): boolean {
  const { splitMode, encoding, preset, audioTrack, snapToSilence, maxFileSize, trim } = request;
  const needsBytes = [soundOptions(encoding), preset, audioTrack, snapToSilence, maxFileSize];
  if (needsBytes.some((field) => field !== undefined)) return false;
  if (splitMode === 'ranges') return request.ranges !== undefined;
  return trim !== undefined && (splitMode === 'duration' || splitMode === 'parts');
}

/** Whether so much of the source is needed that it is best fetched completely at once. */
export function needsMost(
  pieces: readonly Piece[],
  totalSeconds: number,
  { sniffed, isWalked }: PlannedSource,
): boolean {
  if (isWalked === true) return pieces.some(({ endSeconds }) => endSeconds > MAX_WALKED_SHARE * totalSeconds);
  const requests = pieces.length * (REQUESTS.get(ownCopy(sniffed)?.container) ?? 1);
  const seconds = pieces.reduce((sum, piece) => sum + contentSeconds(piece), 0);
  return requests > MAX_REQUESTS || seconds > MAX_SHARE * totalSeconds;
}
