/**
 * Turns a request into the pieces of a source: the same request for the same bytes gives the same pieces, with
 * any route.
 *
 * 1. The mode gives pieces of the audio within `trim` (`walk.ts`, `even-parts.ts`, `ranges.ts`,
 *    `chapter-pieces.ts`, or the silences that the engine has found).
 * 2. Pieces above a cap are divided (`divide.ts`); `duration` and `fileSize` have applied the caps already.
 * 3. Files begin `overlap` before their cut.
 *
 * The engine plans with the sound of a source, the console without it.
 */
import type { CutRequest } from '../cut-request.ts';
import { type CapOptions, createCaps } from './caps.ts';
import { chapterPieces, fromRequestedChapters, type SourceChapter } from './chapter-pieces.ts';
import { divideByCaps } from './divide.ts';
import { evenParts } from './even-parts.ts';
import { addOverlap } from './overlap.ts';
import type { Piece, Span } from './piece.ts';
import { rangeOutsideSource } from './plan-error.ts';
import { isAtEnd, piecesBetweenPoints, piecesOfRanges } from './ranges.ts';
import { refuseTooMany } from './segment-limits.ts';
import { joinShortRest } from './short-rest.ts';
import type { Planning } from './snap.ts';
import { walkPieces } from './walk.ts';

/** What a plan needs to know of a source. */
export interface PlanFacts {
  readonly totalSeconds: number;
  /** Set if the request has a ceiling of bytes. */
  readonly sizes?: CapOptions['sizes'];
  /** Set in mode `silence`: its pieces, without caps. */
  readonly silencePieces?: readonly Piece[] | undefined;
  /** Set in mode `chapters` if the request has none. */
  readonly ownChapters?: readonly SourceChapter[] | undefined;
}

/** The part of the source that is split. Throws RANGE_OUTSIDE_SOURCE. */
export function spanOf({ trim }: Pick<CutRequest, 'trim'>, totalSeconds: number): Span {
  const startSeconds = trim?.start ?? 0;
  if (startSeconds > 0 && isAtEnd(startSeconds, totalSeconds))
    throw rangeOutsideSource('trim.start', totalSeconds);
  return { startSeconds, endSeconds: Math.min(trim?.end ?? totalSeconds, totalSeconds) };
}

/** Whether the request leaves the chapters to the source. */
export function needsOwnChapters(request: CutRequest): boolean {
  return request.splitMode === 'chapters' && !request.chapters?.length;
}

/** Throws PlanError. The pieces are in the order of the segments. */
export function* planPieces(request: CutRequest, facts: PlanFacts): Planning<Piece[]> {
  const { totalSeconds } = facts;
  const span = spanOf(request, totalSeconds);
  const { snapToSilence: snap, maxDuration, maxFileSize, overlap } = request;
  const caps = createCaps({
    maxSegmentSeconds: maxDuration,
    maxSegmentBytes: maxFileSize,
    sizes: facts.sizes,
    overlapSeconds: overlap,
    firstCutSeconds: span.startSeconds,
  });

  function* piecesByMode(): Planning<readonly Piece[]> {
    switch (request.splitMode) {
      case 'duration':
        return yield* walkPieces(span, { segmentSeconds: request.segmentDuration, caps, snap });
      case 'fileSize':
        return yield* walkPieces(span, { caps, snap });
      case 'parts':
        return yield* divideByCaps(yield* evenParts(span, request.parts, snap), { caps, snap });
      case 'ranges': {
        const { ranges, splitPoints = [] } = request;
        const pieces =
          ranges === undefined || ranges.length === 0
            ? joinShortRest(piecesBetweenPoints(splitPoints, span), caps)
            : piecesOfRanges(ranges, totalSeconds);
        return yield* divideByCaps(pieces, { caps, snap });
      }
      case 'chapters': {
        const chapters = needsOwnChapters(request)
          ? (facts.ownChapters ?? [])
          : fromRequestedChapters(request.chapters ?? []);
        const pieces = chapterPieces(chapters, { ...span, totalSeconds });
        return yield* divideByCaps(joinShortRest(pieces, caps), { caps, snap });
      }
      case 'silence':
        return yield* divideByCaps(facts.silencePieces ?? [], { caps, snap });
      default:
        return request satisfies never;
    }
  }

  const pieces = yield* piecesByMode();
  refuseTooMany(pieces.length);
  return overlap === undefined ? [...pieces] : addOverlap(pieces, overlap);
}

/** The pieces with every cut where it would be before it moves into a silence. Throws PlanError. */
export function planWithoutSound(request: CutRequest, facts: PlanFacts): Piece[] {
  const plan = planPieces(request, facts);
  for (let step = plan.next(); ; step = plan.next({ seconds: step.value.targetSeconds, endKind: 'exact' }))
    if (step.done === true) return step.value;
}
