/** Determines the parts in which a source is converted. Pure. */
import { MAX_LEAD_IN_SAMPLES } from '../convert/trim/m4a-duration.ts';
import { durationBorders } from '../cuts/duration.ts';
import { type PlannedSegment, planSegments } from '../cuts/plan.ts';
import { ENCODINGS, type EncodingName } from '../formats/encoding.ts';
import type { PartSpec, PartsBasis, SourcePiece } from './part-spec.ts';

export interface DivisionOptions {
  /** A conversion of less encoding work is not divided; in estimated seconds of one core's time. */
  readonly minWorkSeconds: number;
  /** The amount of work of one part. */
  readonly partWorkSeconds: number;
}

/**
 * Below `minWorkSeconds`, a division would save a few seconds at most. A part of `partWorkSeconds` takes much
 * longer than a claim and a few processes, and is small enough that no worker is idle for long at the end.
 */
export const DIVISION: DivisionOptions = { minWorkSeconds: 20, partWorkSeconds: 2 };

/** Whether the division saves more than it costs. */
export function isWorthDividing(
  encoding: EncodingName,
  sourceSeconds: number,
  segmentSeconds: number,
  options: DivisionOptions,
): boolean {
  const partSegments = segmentsPerPart(encoding, segmentSeconds, options);
  return (
    sourceSeconds / ENCODINGS[encoding].speed >= options.minWorkSeconds &&
    sourceSeconds > partSegments * segmentSeconds
  );
}

/** Throws TOO_MANY_SEGMENTS. */
export function planParts(
  basis: PartsBasis,
  pieces: readonly SourcePiece[],
  options: DivisionOptions,
): PartSpec[] {
  const { encoding, pcm, segmentDurationSeconds, cover } = basis;
  const totalSamples = pieces.reduce((sum, { sampleCount }) => sum + sampleCount, 0);
  const segments = planSegments(durationBorders(segmentDurationSeconds, pcm.sampleRateHz), totalSamples);
  const size = segmentsPerPart(encoding, segmentDurationSeconds, options);
  const parts: PartSpec[] = [];
  for (let first = 0; first < segments.length; first += size) {
    const own = segments.slice(first, first + size);
    const startSample = own[0]?.startSample ?? 0;
    const endSample = endOf(own.at(-1));
    const leadInSamples = encoding === 'm4a' ? Math.min(MAX_LEAD_IN_SAMPLES, startSample) : 0;
    parts.push({
      ...basis,
      firstSegment: first,
      segmentCount: own.length,
      startSample,
      endSample,
      leadInSamples,
      ...piecesBetween(pieces, startSample - leadInSamples, endSample, cover?.sizeBytes ?? 0),
    });
  }
  return parts;
}

function segmentsPerPart(
  encoding: EncodingName,
  segmentSeconds: number,
  { partWorkSeconds }: DivisionOptions,
): number {
  return Math.max(1, Math.round((partWorkSeconds * ENCODINGS[encoding].speed) / segmentSeconds));
}

function endOf(segment: PlannedSegment | undefined): number {
  return segment === undefined ? 0 : segment.startSample + segment.sampleCount;
}

/** The pieces that hold samples [from, to). */
function piecesBetween(
  all: readonly SourcePiece[],
  from: number,
  to: number,
  objectStart: number,
): Pick<PartSpec, 'firstPieceByte' | 'firstPieceSample' | 'pieces'> {
  let firstPieceByte = objectStart;
  let firstPieceSample = 0;
  let sample = 0;
  const pieces: SourcePiece[] = [];
  for (const piece of all) {
    const end = sample + piece.sampleCount;
    if (end <= from) {
      firstPieceByte += piece.sizeBytes;
      firstPieceSample = end;
    } else if (sample < to) {
      pieces.push(piece);
    }
    sample = end;
  }
  return { firstPieceByte, firstPieceSample, pieces };
}
