/**
 * Turns a request into the pieces of a source. Pure, except that it uses the sound: the same request for the
 * same bytes gives the same pieces, with any route.
 *
 * 1. The mode gives pieces of the audio within `trim` (`walk.ts`, `even-parts.ts`, `ranges.ts`, `sound/`,
 *    `chapters/`).
 * 2. Pieces above a cap are divided (`divide.ts`); `duration` and `fileSize` have applied the caps already.
 * 3. Files begin `overlap` before their cut.
 */
import type { CutRequest, SilenceOptions, SilenceThreshold } from '@audiosplit/cuts/cut-request';
import { rangeOutsideSource } from '../../media-error.ts';
import { refuseTooMany } from '../plan.ts';
import { type CapOptions, createCaps } from './caps.ts';
import { divideByCaps } from './divide.ts';
import { evenParts } from './even-parts.ts';
import { addOverlap } from './overlap.ts';
import type { Piece, Span } from './piece.ts';
import { isAtEnd, piecesBetweenPoints, piecesOfRanges } from './ranges.ts';
import { joinShortRest } from './short-rest.ts';
import type { CutWindow, SnappedCut } from './snap.ts';
import { walkPieces } from './walk.ts';

/** What the plan needs to know of a source. */
export interface SourceFacts {
  readonly totalSeconds: number;
  readonly snap: (
    window: CutWindow,
    options: { readonly threshold: SilenceThreshold; readonly minSilenceSeconds: number },
  ) => Promise<SnappedCut>;
  /** Pieces by mode `silence`, with the defaults of its options filled in. */
  readonly silencePieces: (
    span: Span,
    options: Required<Omit<SilenceOptions, 'keepSilence'>> & SilenceOptions,
  ) => Promise<readonly Piece[]>;
  /** Pieces by the given chapters, or by the source's own. */
  readonly chapterPieces: (
    span: Span,
    chapters: Extract<CutRequest, { splitMode: 'chapters' }>['chapters'],
  ) => Promise<readonly Piece[]>;
  /** Set if the request has a ceiling of bytes. */
  readonly sizes: CapOptions['sizes'];
}

const DEFAULT_MIN_SILENCE_SECONDS = 0.5;
const DEFAULT_MIN_DURATION_SECONDS = 1;
const DEFAULT_SNAP_SILENCE_SECONDS = 0.2;

/** The part of the source that is split. Throws RANGE_OUTSIDE_SOURCE. */
export function spanOf({ trim }: Pick<CutRequest, 'trim'>, totalSeconds: number): Span {
  const startSeconds = trim?.start ?? 0;
  if (startSeconds > 0 && isAtEnd(startSeconds, totalSeconds))
    throw rangeOutsideSource('trim.start', totalSeconds);
  return { startSeconds, endSeconds: Math.min(trim?.end ?? totalSeconds, totalSeconds) };
}

/** Throws the failures of `media-error.ts` that concern cuts. The pieces are in the order of the segments. */
export async function planPieces(request: CutRequest, facts: SourceFacts): Promise<Piece[]> {
  const span = spanOf(request, facts.totalSeconds);
  const { snapToSilence, maxDuration, maxFileSize, overlap } = request;
  const caps = createCaps({
    maxSegmentSeconds: maxDuration,
    maxSegmentBytes: maxFileSize,
    sizes: facts.sizes,
    overlapSeconds: overlap,
    firstCutSeconds: span.startSeconds,
  });
  const snap = snapToSilence && {
    options: snapToSilence,
    choose: (window: CutWindow) =>
      facts.snap(window, {
        threshold: snapToSilence.threshold ?? 'auto',
        minSilenceSeconds:
          snapToSilence.minSilence ?? Math.min(DEFAULT_SNAP_SILENCE_SECONDS, snapToSilence.window),
      }),
  };

  async function piecesByMode(): Promise<readonly Piece[]> {
    switch (request.splitMode) {
      case 'duration':
        return await walkPieces(span, { segmentSeconds: request.segmentDuration, caps, snap });
      case 'fileSize':
        return await walkPieces(span, { caps, snap });
      case 'parts':
        return await divideByCaps(await evenParts(span, request.parts, snap), { caps, snap });
      case 'ranges': {
        const { ranges, splitPoints = [] } = request;
        const pieces =
          ranges === undefined || ranges.length === 0
            ? joinShortRest(piecesBetweenPoints(splitPoints, span), caps)
            : piecesOfRanges(ranges, facts.totalSeconds);
        return await divideByCaps(pieces, { caps, snap });
      }
      case 'chapters': {
        const chapters = joinShortRest(await facts.chapterPieces(span, request.chapters), caps);
        return await divideByCaps(chapters, { caps, snap });
      }
      case 'silence': {
        const silence = {
          ...request.silence,
          threshold: request.silence?.threshold ?? 'auto',
          minSilence: request.silence?.minSilence ?? DEFAULT_MIN_SILENCE_SECONDS,
          minDuration: request.silence?.minDuration ?? DEFAULT_MIN_DURATION_SECONDS,
        };
        return await divideByCaps(await facts.silencePieces(span, silence), { caps, snap });
      }
      default:
        return request satisfies never;
    }
  }

  const pieces = await piecesByMode();
  refuseTooMany(pieces.length);
  return overlap === undefined ? [...pieces] : addOverlap(pieces, overlap);
}
