/** The result of a split before it runs: the service's own plan, as far as it needs no sound. */
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import { normalizeMembers } from '@audiosplit/cuts/normalize-cut';
import { contentSeconds, type Piece as PlannedPiece } from '@audiosplit/cuts/plan/piece';
import { PlanError } from '@audiosplit/cuts/plan/plan-error';
import { planWithoutSound } from '@audiosplit/cuts/plan/plan-pieces';
import { ROUNDING_SECONDS } from '@audiosplit/cuts/plan/segment-limits';
import type { OutputFormat } from '@audiosplit/proto/vocabulary';
import type { Cut, SplitRequest } from './cut.ts';
import type { Piece } from './piece.ts';

export interface SourceFacts {
  readonly seconds: number | undefined;
  readonly bytes: number | undefined;
  readonly name: string;
}

/** From cut to cut. */
export interface PreviewPiece extends Piece {
  /** The beginning of its file, earlier than `start` if segments overlap. */
  readonly fileStart: number;
  readonly title: string | undefined;
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
  readonly pieces: readonly PreviewPiece[];
  /** Whether the number of segments follows from the request alone. */
  readonly isCountExact: boolean;
  /** Whether their lengths do, too. */
  readonly isExact: boolean;
}

export interface Preview {
  /** Undefined if too little is known, or if the job would fail. */
  readonly plan: Plan | undefined;
  /** Why the job would fail. */
  readonly failure: PlanError | undefined;
}

const UNKNOWN: Preview = { plan: undefined, failure: undefined };

/** Rates for two channels at 44.1 kHz. FLAC depends on the content. */
const BYTES_PER_SECOND: Readonly<Partial<Record<OutputFormat, number>>> = {
  mp3: 24_000,
  wav: 176_400,
  ogg: 20_000,
  aac: 20_000,
};
/** Mono at 16 kHz: MP3 at 48 kbit/s, WAV with 16 bits. */
const SPEECH_BYTES_PER_SECOND: Readonly<Partial<Record<OutputFormat, number>>> = { mp3: 6_000, wav: 32_000 };

/** More would be closer than pixels. */
const MAX_PIECES = 4_000;

export function planSplit(source: SourceFacts, request: SplitRequest): Preview {
  const { cut } = request;
  const { seconds } = source;
  const perSecond = bytesPerSecond(source, request);
  const isFoundByJob =
    cut.splitMode === 'silence' || (cut.splitMode === 'chapters' && cut.chapters === undefined);
  const isOfUnknownSize = cut.maxFileSize !== undefined && perSecond === undefined;
  if (seconds === undefined || seconds <= 0 || isFoundByJob || isOfUnknownSize) return UNKNOWN;
  try {
    return { plan: planKnown(cut, seconds, perSecond), failure: undefined };
  } catch (error) {
    if (error instanceof PlanError) return { plan: undefined, failure: error };
    throw error;
  }
}

function planKnown(cut: Cut, seconds: number, perSecond: number | undefined): Plan {
  const request = toCutRequest(cut);
  const pieces = piecesOf(request, seconds, perSecond);
  const lengths = pieces.map(contentSeconds);
  const segmentSeconds = Math.max(...lengths);
  const fileSeconds = Math.max(...pieces.map(({ startSeconds, endSeconds }) => endSeconds - startSeconds));
  const { maxFileSize = Number.POSITIVE_INFINITY, snapToSilence } = cut;
  const isCeiling = isByBytes(request, seconds, perSecond, pieces);
  const movesOn = cut.splitMode === 'duration' || cut.splitMode === 'fileSize';
  const isCountExact = !isCeiling && !(snapToSilence !== undefined && movesOn);
  return {
    count: pieces.length,
    segmentSeconds,
    shortestSeconds: Math.min(...lengths),
    isEven: lengths.slice(0, -1).every((length) => length > segmentSeconds - ROUNDING_SECONDS),
    segmentBytes: perSecond && Math.min(Math.round(perSecond * fileSeconds), maxFileSize),
    isCeiling,
    pieces: pieces.length > MAX_PIECES ? [] : pieces.map(toPreviewPiece),
    isCountExact,
    isExact: isCountExact && snapToSilence === undefined,
  };
}

function toPreviewPiece({
  startSeconds,
  contentStartSeconds,
  endSeconds,
  title,
}: PlannedPiece): PreviewPiece {
  return { start: contentStartSeconds ?? startSeconds, end: endSeconds, fileStart: startSeconds, title };
}

/** The fields that its plan follows from. */
function toCutRequest(cut: Cut): CutRequest {
  const { splitMode, segmentDuration, maxDuration, maxFileSize, overlap, trim } = cut;
  const { chapters, ranges, splitPoints, parts } = cut;
  const lengths = { segmentDuration, maxDuration, maxFileSize, overlap, trim };
  return {
    splitMode,
    ...normalizeMembers({ ...lengths, chapters, ranges, splitPoints, parts }),
  } as CutRequest;
}

function piecesOf(request: CutRequest, seconds: number, perSecond: number | undefined): PlannedPiece[] {
  const sizes = perSecond && {
    latestEnd: (startSeconds: number, byteCount: number) => startSeconds + byteCount / perSecond,
    earliestStart: (endSeconds: number, byteCount: number) => endSeconds - byteCount / perSecond,
  };
  return planWithoutSound(request, { totalSeconds: seconds, ...(sizes ? { sizes } : {}) });
}

/** Whether it is the ceiling of bytes that makes the cuts, so that they are as uncertain as the rate. */
function isByBytes(
  { maxFileSize, ...uncapped }: CutRequest,
  seconds: number,
  perSecond: number | undefined,
  pieces: readonly PlannedPiece[],
): boolean {
  if (maxFileSize === undefined || perSecond === undefined) return false;
  if (maxFileSize / perSecond >= (uncapped.maxDuration ?? Number.POSITIVE_INFINITY)) return false;
  if (uncapped.splitMode === 'fileSize') return true;
  const others = planWithoutSound(uncapped as CutRequest, { totalSeconds: seconds });
  return (
    others.length !== pieces.length ||
    others.some(({ endSeconds }, n) => Math.abs(endSeconds - (pieces[n]?.endSeconds ?? 0)) > ROUNDING_SECONDS)
  );
}

function bytesPerSecond(source: SourceFacts, { cut, format }: SplitRequest): number | undefined {
  const { seconds, bytes, name } = source;
  if (cut.preset === 'speech') return SPEECH_BYTES_PER_SECOND[format ?? 'mp3'];
  const isSame = format === undefined || name.toLowerCase().endsWith(`.${format}`);
  if (!isSame) return BYTES_PER_SECOND[format];
  return bytes === undefined || seconds === undefined ? undefined : bytes / seconds;
}
