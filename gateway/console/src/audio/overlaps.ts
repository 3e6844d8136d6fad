import type { Piece } from './piece.ts';

/** Where two pieces or more lie over one another, in order of time. */
export function overlapsOf(pieces: readonly Piece[]): Piece[] {
  const overlaps: Piece[] = [];
  let reached = Number.NEGATIVE_INFINITY;
  for (const { start, end } of [...pieces].sort((one, other) => one.start - other.start)) {
    const overlap = { start, end: Math.min(reached, end) };
    const last = overlaps.at(-1);
    if (overlap.end > overlap.start) {
      if (last !== undefined && last.end >= overlap.start) {
        overlaps[overlaps.length - 1] = { start: last.start, end: Math.max(last.end, overlap.end) };
      } else overlaps.push(overlap);
    }
    reached = Math.max(reached, end);
  }
  return overlaps;
}
