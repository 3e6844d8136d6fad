/**
 * Carries out a plan of `@audiosplit/cuts/plan` on a source: looks at its silences, its chapters and the sound
 * around its cuts where the plan needs them. Errors of the plan become those of the engine.
 */
import type { CutRequest, SilenceOptions } from '@audiosplit/cuts/cut-request';
import type { CapOptions } from '@audiosplit/cuts/plan/caps';
import type { SourceChapter } from '@audiosplit/cuts/plan/chapter-pieces';
import type { Piece, Span } from '@audiosplit/cuts/plan/piece';
import * as plan from '@audiosplit/cuts/plan/plan-pieces';
import * as ranges from '@audiosplit/cuts/plan/ranges';
import type { CutWindow, SnappedCut } from '@audiosplit/cuts/plan/snap';
import { toMediaError } from '../../media-error.ts';

/** What the plan needs to know of a source. */
export interface SourceFacts {
  readonly totalSeconds: number;
  readonly snap: (window: CutWindow) => Promise<SnappedCut>;
  /** Pieces by mode `silence`, with the defaults of its options filled in. */
  readonly silencePieces: (
    span: Span,
    options: Required<Omit<SilenceOptions, 'keepSilence'>> & SilenceOptions,
  ) => Promise<readonly Piece[]>;
  readonly ownChapters: () => Promise<readonly SourceChapter[]>;
  /** Set if the request has a ceiling of bytes. */
  readonly sizes: CapOptions['sizes'];
}

const DEFAULT_MIN_SILENCE_SECONDS = 0.5;
const DEFAULT_MIN_DURATION_SECONDS = 1;

/** Throws the failures of `media-error.ts` that concern cuts. The pieces are in the order of the segments. */
export async function planPieces(request: CutRequest, facts: SourceFacts): Promise<Piece[]> {
  const { totalSeconds, sizes } = facts;
  try {
    const pieces = plan.planPieces(request, {
      totalSeconds,
      sizes,
      ...(request.splitMode === 'silence'
        ? {
            silencePieces: await findSilencePieces(
              request.silence,
              plan.spanOf(request, totalSeconds),
              facts,
            ),
          }
        : {}),
      ...(plan.needsOwnChapters(request) ? { ownChapters: await facts.ownChapters() } : {}),
    });
    let step = pieces.next();
    while (step.done !== true) step = pieces.next(await facts.snap(step.value));
    return step.value;
  } catch (error) {
    throw toMediaError(error);
  }
}

function findSilencePieces(
  silence: SilenceOptions | undefined,
  span: Span,
  facts: SourceFacts,
): Promise<readonly Piece[]> {
  return facts.silencePieces(span, {
    ...silence,
    threshold: silence?.threshold ?? 'auto',
    minSilence: silence?.minSilence ?? DEFAULT_MIN_SILENCE_SECONDS,
    minDuration: silence?.minDuration ?? DEFAULT_MIN_DURATION_SECONDS,
  });
}

/** The part of the source that is split. Throws RANGE_OUTSIDE_SOURCE. */
export function spanOf(request: Pick<CutRequest, 'trim'>, totalSeconds: number): Span {
  return orMediaError(() => plan.spanOf(request, totalSeconds));
}

/** Throws RANGE_OUTSIDE_SOURCE if one of the ranges begins at or after the end. */
export function piecesOfRanges(...args: Parameters<typeof ranges.piecesOfRanges>): Piece[] {
  return orMediaError(() => ranges.piecesOfRanges(...args));
}

function orMediaError<T>(result: () => T): T {
  try {
    return result();
  } catch (error) {
    throw toMediaError(error);
  }
}
