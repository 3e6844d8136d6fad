/**
 * Divides a piece that exceeds a cap into the fewest pieces that the caps allow, as equal as the caps allow.
 *
 * The cuts are determined from left to right. Each is placed where the rest would be divided equally, but not
 * later than the caps allow for the previous piece, and not so early that the rest would need more pieces
 * than are left. It may then move back into a silence, as far as that last condition allows.
 */
import type { SnapToSilence } from '../cut-request.ts';
import type { Caps } from './caps.ts';
import type { Piece } from './piece.ts';
import { refuseTooMany } from './segment-limits.ts';
import { type Planning, placeCut } from './snap.ts';

export interface DivideOptions {
  readonly caps: Caps;
  readonly snap?: SnapToSilence | undefined;
}

export function* divideByCaps(pieces: readonly Piece[], options: DivideOptions): Planning<Piece[]> {
  if (!options.caps.exist) return [...pieces];
  // All pieces are counted first, so that too many are refused without examining the sound of each.
  let total = 0;
  const counted = pieces.map((piece) => {
    const count = options.caps.fewest(piece);
    total += count;
    refuseTooMany(total);
    return { piece, count };
  });
  const divided: Piece[] = [];
  for (const { piece, count } of counted) divided.push(...(yield* divide(piece, count, options)));
  return divided;
}

function* divide(piece: Piece, count: number, { caps, snap }: DivideOptions): Planning<Piece[]> {
  const { startSeconds, endSeconds, title } = piece;
  if (count === 1) return [piece];
  const earliestCuts = earliestCutsOf(caps, endSeconds, count);
  const parts: Piece[] = [];
  const titleOf = (number: number) => (title === undefined ? {} : { title: `${title} (${number}/${count})` });
  let start = startSeconds;
  for (let left = count; left > 1; left--) {
    const earliest = earliestCuts[left - 1] ?? start;
    const equal = start + (endSeconds - start) / left;
    const target = Math.max(earliest, Math.min(equal, caps.latestEnd(start)));
    const cut = yield* placeCut(snap, {
      targetSeconds: target,
      cutBeforeSeconds: start,
      earliestSeconds: earliest,
    });
    parts.push({
      startSeconds: start,
      endSeconds: cut.seconds,
      endKind: cut.endKind,
      ...titleOf(count - left + 1),
    });
    start = cut.seconds;
  }
  parts.push({ ...piece, startSeconds: start, ...titleOf(count) });
  return parts;
}

/** By the number of pieces left: the earliest start from which they can contain everything up to the end. */
function earliestCutsOf(caps: Caps, endSeconds: number, count: number): number[] {
  const cuts = [endSeconds];
  for (let pieces = 1; pieces < count; pieces++) cuts.push(caps.earliestCut(cuts.at(-1) ?? endSeconds));
  return cuts;
}
