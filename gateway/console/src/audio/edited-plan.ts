/**
 * A plan that the user edits: the ranges to keep, in order of time. The gaps between them are dropped. The
 * form contains the plan as the text of the mode `ranges`, so the form, the command and the request agree.
 */
import { MIN_REMAINDER_SECONDS } from '@audiosplit/cuts/plan/segment-limits';
import { formatTime } from '../format/typed-time.ts';
import { secondsOf } from './cut.ts';
import type { Piece } from './piece.ts';
import type { Places } from './typed-places.ts';

export interface KeptRange extends Piece {
  readonly title?: string | undefined;
}

/** A range, or a gap between ranges. */
export interface PlannedPiece extends KeptRange {
  readonly isKept: boolean;
}

export type EditedPlan = readonly KeptRange[];

/** Twice the length of the pieces that the service joins to their neighbours. */
const SHORTEST_SECONDS = 2 * MIN_REMAINDER_SECONDS;
/** Times are to the millisecond. */
const SAME_SECONDS = 0.0005;

/** If no places are given yet, the whole recording is one piece. */
export function planOf(places: Places | undefined, seconds: number): EditedPlan {
  const { ranges, splitPoints } = places ?? {};
  if (ranges !== undefined) {
    return ranges
      .map(({ start, end, title }) => ({
        start: secondsOf(start),
        end: Math.min(seconds, secondsOf(end ?? seconds)),
        title,
      }))
      .filter(({ start, end }) => start < end)
      .sort((one, other) => one.start - other.start);
  }
  const points = (splitPoints ?? []).map(secondsOf).filter((at) => at < seconds);
  return [0, ...points].map((start, n) => ({ start, end: points[n] ?? seconds }));
}

/** Points, if the pieces have no titles and cover the recording without gaps and overlaps; else ranges. */
export function textOfPlan(plan: EditedPlan, seconds: number): string {
  const isPoints = plan.every(
    ({ start, title }, n) => title === undefined && isSame(start, plan[n - 1]?.end ?? 0),
  );
  if (isPoints && plan.length > 1 && isSame(plan.at(-1)?.end ?? 0, seconds)) {
    return plan
      .slice(1)
      .map(({ start }) => formatTime(start))
      .join('\n');
  }
  return plan
    .map(({ start, end, title }) => {
      const range = `${formatTime(start)}-${isSame(end, seconds) ? '' : formatTime(end)}`;
      return title === undefined ? range : `${range} ${title}`;
    })
    .join('\n');
}

export function piecesOfPlan(plan: EditedPlan, seconds: number): PlannedPiece[] {
  const pieces: PlannedPiece[] = [];
  let reached = 0;
  for (const range of plan) {
    if (range.start - reached > SAME_SECONDS)
      pieces.push({ start: reached, end: range.start, isKept: false });
    pieces.push({ ...range, isKept: true });
    reached = Math.max(reached, range.end);
  }
  if (seconds - reached > SAME_SECONDS) pieces.push({ start: reached, end: seconds, isKept: false });
  return pieces;
}

/** The places where a piece begins or ends, except the ends of the recording. */
export function cutsOf(plan: EditedPlan, seconds: number): number[] {
  const edges = plan.flatMap(({ start, end }) => [start, end]);
  return [...edges]
    .sort((one, other) => one - other)
    .filter((at, n, all) => !isSame(at, 0) && !isSame(at, seconds) && !isSame(at, all[n - 1] ?? -1));
}

/**
 * Moves every edge at `from` towards `to`, as far as no piece becomes shorter than SHORTEST_SECONDS. `at` is
 * the place that was reached.
 */
export function moveCut(
  plan: EditedPlan,
  from: number,
  to: number,
  seconds: number,
): { readonly plan: EditedPlan; readonly at: number } {
  const starting = plan.filter(({ start }) => isSame(start, from));
  const ending = plan.filter(({ end }) => isSame(end, from));
  const earliest = Math.max(0, ...ending.map(({ start }) => start + SHORTEST_SECONDS));
  const latest = Math.min(seconds, ...starting.map(({ end }) => end - SHORTEST_SECONDS));
  if (earliest > latest) return { plan, at: from };
  const at = toMs(Math.min(latest, Math.max(earliest, to)));
  const moved = plan.map((range) => ({
    ...range,
    ...(isSame(range.start, from) ? { start: at } : {}),
    ...(isSame(range.end, from) ? { end: at } : {}),
  }));
  return { plan: inOrder(moved), at };
}

/**
 * Divides the range at `at`; its first part keeps the title. Undefined if there is no range, or if one of its
 * ends is too near.
 */
export function addCut(plan: EditedPlan, at: number): EditedPlan | undefined {
  const cut = toMs(at);
  const index = plan.findLastIndex(
    ({ start, end }) => cut - start >= SHORTEST_SECONDS && end - cut >= SHORTEST_SECONDS,
  );
  const range = plan[index];
  if (range === undefined) return undefined;
  return inOrder(plan.toSpliced(index, 1, { ...range, end: cut }, { start: cut, end: range.end }));
}

/** Joins the pieces on both sides of the cut. If one of them is kept and the other dropped, both are kept. */
export function removeCut(plan: EditedPlan, at: number, seconds: number): EditedPlan {
  const before = plan.find(({ end }) => isSame(end, at));
  const after = plan.find(({ start }) => isSame(start, at));
  if (before !== undefined && after !== undefined) {
    const title = before.title ?? after.title;
    const joined = { start: before.start, end: after.end, title };
    return inOrder(plan.filter((range) => range !== before && range !== after).concat(joined));
  }
  const range = before ?? after;
  if (range === undefined) return plan;
  const edges = [0, ...cutsOf(plan, seconds), seconds];
  const next = edges.find((edge) => edge > at + SAME_SECONDS) ?? seconds;
  const previous = edges.findLast((edge) => edge < at - SAME_SECONDS) ?? 0;
  const joined = before === undefined ? { ...range, start: previous } : { ...range, end: next };
  return inOrder(plan.map((each) => (each === range ? joined : each)));
}

/** Keeps a gap, or drops a range. */
export function setKept(plan: EditedPlan, piece: PlannedPiece, isKept: boolean): EditedPlan {
  const others = plan.filter((range) => !isThat(range, piece));
  return isKept ? inOrder([...others, { start: piece.start, end: piece.end }]) : others;
}

export function setTitle(plan: EditedPlan, piece: PlannedPiece, title: string): EditedPlan {
  const given = title.trim() === '' ? undefined : title;
  return plan.map((range) => (isThat(range, piece) ? { ...range, title: given } : range));
}

function isThat(range: Piece, { start, end }: Piece): boolean {
  return isSame(range.start, start) && isSame(range.end, end);
}

function isSame(one: number, other: number): boolean {
  return Math.abs(one - other) < SAME_SECONDS;
}

function toMs(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}

function inOrder(plan: EditedPlan): EditedPlan {
  return [...plan].sort((one, other) => one.start - other.start || one.end - other.end);
}
