/**
 * Plans under a ceiling of bytes. Where copies are made, the plan is made with a model of their sizes, then measured, and
 * made again with a lower ceiling if a piece has come out above the real one. Measuring writes nothing.
 */
import type { CutRequest } from '@audiosplit/proto/cut';
import type { SizeModel } from '../cuts/planned/caps.ts';
import type { PassLimits } from '../cuts/planned/passes.ts';
import type { Piece } from '../cuts/planned/piece.ts';
import { planPieces, type SourceFacts } from '../cuts/planned/plan-pieces.ts';
import { segmentLimitUnreachable } from '../media-error.ts';
import { type CopyPlan, measurePieces } from './copy-passes.ts';
import { measureSizes } from './size-model.ts';

/** What is copied: the source, or a file that all of it was encoded to. */
export type CopySource = Omit<CopyPlan, 'pieces' | 'limits'> & {
  /** As `splitter`, without checking the sound. */
  readonly measuring: CopyPlan['splitter'];
};

const MAX_TRIES = 16;
/** Of the ceiling, by which it is lowered beyond what a measurement asks for. */
const SAFETY = 0.0005;

export async function planUnderCeiling(
  request: CutRequest & { readonly maxFileSize: number },
  facts: SourceFacts,
  source: CopySource,
  limits: PassLimits,
): Promise<Piece[]> {
  const { maxFileSize } = request;
  const measured = { ...source, splitter: source.measuring };
  const sizes = laterBy(source.offsetSeconds, await measureSizes(measured, limits.maxTagBytes));
  let share = 1;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const lowered = { ...request, maxFileSize: Math.floor(maxFileSize * share) };
    const pieces = await planPieces(lowered, { ...facts, sizes });
    const segments = await measurePieces({ ...measured, pieces, limits });
    const largestBytes = segments.reduce((most, { sizeBytes }) => Math.max(most, sizeBytes), 0);
    if (largestBytes <= maxFileSize) return pieces;
    share *= maxFileSize / largestBytes - SAFETY;
  }
  throw segmentLimitUnreachable();
}

function laterBy(offsetSeconds: number, sizes: SizeModel): SizeModel {
  return {
    latestEnd: (startSeconds, byteCount) =>
      sizes.latestEnd(startSeconds - offsetSeconds, byteCount) + offsetSeconds,
    earliestStart: (endSeconds, byteCount) =>
      sizes.earliestStart(endSeconds - offsetSeconds, byteCount) + offsetSeconds,
  };
}
