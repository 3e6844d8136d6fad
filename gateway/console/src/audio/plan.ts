/** Estimates the result of a split. */
import type { OutputFormat } from '@audiosplit/proto/vocabulary';
import type { Cut, SplitRequest } from './cut.ts';
import { type Piece, piecesOf, runsOf } from './plan-pieces.ts';

export interface SourceFacts {
  readonly seconds: number | undefined;
  readonly bytes: number | undefined;
  readonly name: string;
}

export interface Plan {
  readonly count: number;
  /** Of the longest segment. */
  readonly segmentSeconds: number;
  readonly shortestSeconds: number;
  /** Whether only the last segment may be shorter than the others. */
  readonly isEven: boolean;
  /** Size of the longest segment. Undefined if the encoder decides. */
  readonly segmentBytes: number | undefined;
  /** Whether that size is a ceiling, and not an estimate. */
  readonly isCeiling: boolean;
  /** Empty if there are too many to draw. */
  readonly pieces: readonly Piece[];
  /** Whether the number of segments follows from the request alone. */
  readonly isCountExact: boolean;
  /** Whether their lengths do, too. */
  readonly isExact: boolean;
}

/** Rates for two channels at 44.1 kHz. FLAC depends on the content. */
const BYTES_PER_SECOND: Readonly<Partial<Record<OutputFormat, number>>> = {
  mp3: 24_000,
  wav: 176_400,
  ogg: 20_000,
  aac: 20_000,
};
/** Mono at 16 kHz: MP3 at 48 kbit/s, WAV with 16 bits. */
const SPEECH_BYTES_PER_SECOND: Readonly<Partial<Record<OutputFormat, number>>> = { mp3: 6_000, wav: 32_000 };

/** The service's limit for one source. */
export const MAX_SEGMENTS = 10_000;
/** More would be closer than pixels. */
const MAX_PIECES = 4_000;

/** Undefined if too little is known, or if the job would fail. */
export function planSplit(source: SourceFacts, request: SplitRequest): Plan | undefined {
  const { cut } = request;
  const { seconds } = source;
  if (seconds === undefined || seconds <= 0) return undefined;
  const perSecond = bytesPerSecond(source, request);
  const limits = limitsOf(cut, perSecond);
  const runs = limits && runsOf(cut, seconds, limits.seconds);
  if (limits === undefined || runs === undefined || runs.length === 0) return undefined;

  const count = runs.reduce((sum, run) => sum + run.count, 0);
  const segmentSeconds = Math.max(...runs.map(({ step }) => step));
  const shortestSeconds = Math.min(...runs.map((run) => run.end - run.start - (run.count - 1) * run.step));
  const isAtLimit = segmentSeconds > limits.seconds - 1e-6 || count > basePieces(cut, seconds);
  const isByBytes = limits.isOfBytes && isAtLimit;
  const { overlap = 0, snapToSilence } = cut;
  const fileSeconds = segmentSeconds + (count > 1 ? overlap : 0);
  const movesOn = cut.splitMode === 'duration' || cut.splitMode === 'fileSize';
  const isCountExact = !isByBytes && !(snapToSilence !== undefined && movesOn) && !(overlap > 0 && isAtLimit);
  return {
    count,
    segmentSeconds,
    shortestSeconds,
    isEven: runs.length === 1,
    segmentBytes:
      perSecond && Math.min(Math.round(perSecond * fileSeconds), cut.maxFileSize ?? Number.POSITIVE_INFINITY),
    isCeiling: isByBytes,
    pieces: count > MAX_PIECES ? [] : runs.flatMap(piecesOf),
    isCountExact,
    isExact: isCountExact && snapToSilence === undefined,
  };
}

/** The longest segment that the caps allow. Undefined: a cap of bytes at an unknown rate. */
function limitsOf(
  { maxDuration = Number.POSITIVE_INFINITY, maxFileSize, overlap = 0 }: Cut,
  perSecond: number | undefined,
): { readonly seconds: number; readonly isOfBytes: boolean } | undefined {
  if (maxFileSize !== undefined && perSecond === undefined) return undefined;
  const ofBytes =
    maxFileSize === undefined || perSecond === undefined ? Number.POSITIVE_INFINITY : maxFileSize / perSecond;
  const seconds = Math.min(maxDuration, ofBytes) - overlap;
  return seconds > 0 ? { seconds, isOfBytes: ofBytes < maxDuration } : undefined;
}

/** How many segments there would be without a cap. */
function basePieces(cut: Cut, seconds: number): number {
  return runsOf(cut, seconds, Number.POSITIVE_INFINITY)?.reduce((sum, run) => sum + run.count, 0) ?? 0;
}

function bytesPerSecond(source: SourceFacts, { cut, format }: SplitRequest): number | undefined {
  const { seconds, bytes, name } = source;
  if (cut.preset === 'speech') return SPEECH_BYTES_PER_SECOND[format ?? 'mp3'];
  const isSame = format === undefined || name.toLowerCase().endsWith(`.${format}`);
  if (!isSame) return BYTES_PER_SECOND[format];
  return bytes === undefined || seconds === undefined ? undefined : bytes / seconds;
}
