/**
 * Plans under a ceiling of bytes. If copies are made, the plan is made with a model of their sizes, then
 * measured, and made again with a lower ceiling if a piece exceeds the real one. Measuring writes nothing.
 */
import type { CutRequest } from '@audiosplit/cuts/cut-request';
import type { SizeModel } from '@audiosplit/cuts/plan/caps';
import type { Piece } from '@audiosplit/cuts/plan/piece';
import { planPieces, type SourceFacts } from '../cuts/planned/plan-pieces.ts';
import { segmentLimitUnreachable } from '../media-error.ts';
import { type CopyPlan, measurePieces } from './copy-passes.ts';

/** The source of the copies: the source itself, or a file with its whole audio encoded. */
export type CopySource = Omit<CopyPlan, 'pieces' | 'maxTagBytes'> & {
  /** Like `splitter`, without checking the audio. */
  readonly measuring: CopyPlan['splitter'];
  readonly isCutBetweenPackets: boolean;
};

const MAX_TRIES = 16;
/** The share of the ceiling by which it is lowered in addition to the measured excess. */
const SAFETY = 0.0005;
/** The share of the ceiling by which files may stay below it. */
const WORTHWHILE = 0.005;

export interface CeilingOptions {
  readonly facts: SourceFacts;
  /** Its splitter is the one that measures. */
  readonly source: CopySource;
  /** Of copies from `source`, whose positions begin at 0. */
  readonly sizeModel: SizeModel;
  readonly maxTagBytes: number;
}

export async function planUnderCeiling(
  request: CutRequest & { readonly maxFileSize: number },
  { facts, source, sizeModel, maxTagBytes }: CeilingOptions,
): Promise<Piece[]> {
  const { maxFileSize } = request;
  const sizes = laterBy(source.offsetSeconds, sizeModel);
  const planWith = async (share: number) => {
    const pieces = await planPieces(
      { ...request, maxFileSize: Math.floor(maxFileSize * share) },
      { ...facts, sizes },
    );
    const segments = (await measurePieces({ ...source, pieces, maxTagBytes })).filter(
      (segment) => segment !== undefined,
    );
    // The remainder in the last segment shows nothing about the model.
    const full = segments.length > 1 ? segments.slice(0, -1) : segments;
    const sizeOf = (some: typeof segments) =>
      some.reduce((most, { sizeBytes }) => Math.max(most, sizeBytes), 1);
    return {
      pieces,
      fits: sizeOf(segments) <= maxFileSize,
      next: (share * maxFileSize) / sizeOf(full) - SAFETY,
    };
  };
  let share = 1;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const plan = await planWith(share);
    if (plan.fits) return plan.next > share + WORTHWHILE ? await better(plan.pieces, plan.next) : plan.pieces;
    share = Math.min(plan.next, share - SAFETY);
  }
  throw segmentLimitUnreachable();

  /** The model was too cautious: repeats the plan with the measured value. */
  async function better(pieces: Piece[], higherShare: number): Promise<Piece[]> {
    const plan = await planWith(higherShare);
    return plan.fits && plan.pieces.length <= pieces.length ? plan.pieces : pieces;
  }
}

function laterBy(offsetSeconds: number, sizes: SizeModel): SizeModel {
  return {
    latestEnd: (startSeconds, byteCount) =>
      sizes.latestEnd(startSeconds - offsetSeconds, byteCount) + offsetSeconds,
    earliestStart: (endSeconds, byteCount) =>
      sizes.earliestStart(endSeconds - offsetSeconds, byteCount) + offsetSeconds,
  };
}
