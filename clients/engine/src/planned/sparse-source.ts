/**
 * Which sources are fetched only where they are read: those whose copies find their frames by arithmetic or by a table, in
 * requests that need nothing but places in time. Of all others every byte is looked at, so that what is damaged shows.
 */
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { soundOptions } from '@audiosplit/cuts/encoding-options';
import { copyRoute } from '../copy-route.ts';
import { contentSeconds, type Piece } from '../cuts/planned/piece.ts';
import { ownCopy } from '../formats/own-format.ts';
import type { SplitOptions } from '../media.ts';
import type { SniffedSource } from '../sniff/sniff.ts';

/** A smaller source is fetched in less time than a few requests take. */
const MIN_BYTES = 16 * 1024 * 1024;
/** Of the source: above that one request for all of it is cheaper. */
const MAX_SHARE = 0.25;
/** Each takes a request of its own. */
const MAX_PIECES = 32;

const FOUND_WITHOUT_READING: ReadonlySet<string | undefined> = new Set(['wav', 'm4a']);

/** Whether to keep the source as a file with holes. */
export function mayBeSparse(
  request: CutRequest,
  { outputFormat }: Pick<SplitOptions, 'outputFormat'>,
  sizeBytes: number,
  sniffed: SniffedSource,
): boolean {
  if (sizeBytes < MIN_BYTES || !namesPlaces(request)) return false;
  const isCopied = copyRoute(sniffed, outputFormat === undefined ? {} : { outputFormat }) !== undefined;
  return isCopied && FOUND_WITHOUT_READING.has(ownCopy(sniffed)?.container);
}

/** What lies where is known without the sound, and all of the source is not asked for. */
function namesPlaces(request: CutRequest): boolean {
  const { splitMode, encoding, preset, audioTrack, snapToSilence, maxFileSize, trim } = request;
  const needsBytes = [soundOptions(encoding), preset, audioTrack, snapToSilence, maxFileSize];
  if (needsBytes.some((field) => field !== undefined)) return false;
  if (splitMode === 'ranges') return request.ranges !== undefined;
  return trim !== undefined && (splitMode === 'duration' || splitMode === 'parts');
}

/** Whether so much of the source is needed that all of it is best fetched at once. */
export function needsMost(pieces: readonly Piece[], totalSeconds: number): boolean {
  const seconds = pieces.reduce((sum, piece) => sum + contentSeconds(piece), 0);
  return pieces.length > MAX_PIECES || seconds > MAX_SHARE * totalSeconds;
}
