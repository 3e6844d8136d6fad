/**
 * Where segments lie, as far as the request and the length of the recording tell it. A base piece is one of the mode: the
 * whole, a part, a range, a chapter. In modes duration and fileSize it is walked in steps; in the others a piece above the
 * limit is divided into the fewest equal ones.
 */
import { type Cut, secondsOf } from './cut.ts';

export interface Piece {
  readonly start: number;
  readonly end: number;
}

/** Pieces of one length that follow each other; the last one may be shorter. */
export interface Run extends Piece {
  readonly step: number;
  readonly count: number;
}

/** The service joins a shorter rest to the segment before it, unless a cap forbids that. */
const SHORTEST_SECONDS = 0.1;
const ROUNDING = 1e-6;

/** What of the recording is split. Undefined: it ends before that begins, and the job would fail. */
export function splitPart({ trim }: Cut, seconds: number): Piece | undefined {
  const start = secondsOf(trim?.start ?? 0);
  const end = Math.min(seconds, secondsOf(trim?.end ?? seconds));
  return start < end ? { start, end } : undefined;
}

/** Undefined: found when the job runs, or the job would fail. `limit` is the longest that a segment may be. */
export function runsOf(cut: Cut, seconds: number, limit: number): readonly Run[] | undefined {
  const whole = splitPart(cut, seconds);
  if (whole === undefined) return undefined;
  const { segmentDuration = Number.POSITIVE_INFINITY, chapters, ranges, splitPoints, parts = 1 } = cut;
  const divide = (pieces: readonly Piece[]) => pieces.map((piece) => divideEqually(piece, limit));
  switch (cut.splitMode) {
    case 'duration':
      return [walk(whole, segmentDuration, limit)];
    case 'fileSize':
      return limit === Number.POSITIVE_INFINITY ? undefined : [walk(whole, limit, limit)];
    case 'silence':
      return undefined;
    case 'chapters':
      return chapters && divide(partAt(whole, startsOf(chapters, whole)));
    case 'ranges':
      if (ranges !== undefined)
        return rangesWithin(ranges, seconds)?.map((each) => divideEqually(each, limit));
      return splitPoints && divide(partAt(whole, splitPoints.map(secondsOf)));
    case 'parts': {
      const step = (whole.end - whole.start) / parts;
      if (step < SHORTEST_SECONDS) return undefined;
      if (step <= limit) return [{ ...whole, step, count: parts }];
      return divide(piecesOf({ ...whole, step, count: parts }));
    }
    default:
      return cut.splitMode satisfies never;
  }
}

export function piecesOf({ start, end, step, count }: Run): Piece[] {
  return Array.from({ length: count }, (_, n) => ({
    start: start + n * step,
    end: n === count - 1 ? end : start + (n + 1) * step,
  }));
}

function walk({ start, end }: Piece, wanted: number, limit: number): Run {
  const length = end - start;
  const step = Math.min(wanted, limit);
  const joined = step + SHORTEST_SECONDS <= limit ? SHORTEST_SECONDS : 0;
  const count = Math.max(1, Math.ceil((length - joined) / step + (joined > 0 ? ROUNDING : -ROUNDING)));
  return { start, end, step: Math.min(step, length), count };
}

function divideEqually({ start, end }: Piece, limit: number): Run {
  const length = end - start;
  const count = Math.max(1, Math.ceil(length / limit - ROUNDING));
  return { start, end, step: length / count, count };
}

function partAt({ start, end }: Piece, points: readonly number[]): Piece[] {
  const borders = [start];
  for (const point of points) {
    if (point - (borders.at(-1) ?? start) >= SHORTEST_SECONDS && end - point >= SHORTEST_SECONDS) {
      borders.push(point);
    }
  }
  return borders.map((border, n) => ({ start: border, end: borders[n + 1] ?? end }));
}

function startsOf(chapters: NonNullable<Cut['chapters']>, { start }: Piece): number[] {
  return chapters
    .filter(({ toc }) => toc !== false)
    .map(({ startTime }) => secondsOf(startTime))
    .filter((at) => at > start);
}

/** Undefined if one begins behind the end: the job would fail. */
function rangesWithin(ranges: NonNullable<Cut['ranges']>, seconds: number): Piece[] | undefined {
  const pieces = ranges.map(({ start, end }) => ({
    start: secondsOf(start),
    end: Math.min(seconds, secondsOf(end ?? seconds)),
  }));
  return pieces.every(({ start }) => start < seconds) ? pieces : undefined;
}
