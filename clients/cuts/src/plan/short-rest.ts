import type { Caps } from './caps.ts';
import type { Piece } from './piece.ts';
import { isTooShort, MIN_REMAINDER_SECONDS } from './segment-limits.ts';

/**
 * Ensures that the last of consecutive pieces has at least a tenth of a second: a shorter rest joins the
 * previous piece. If that would require another segment under the caps, the previous piece is shortened so
 * that the rest has a tenth.
 */
export function joinShortRest(pieces: readonly Piece[], caps: Pick<Caps, 'fewest'>): readonly Piece[] {
  const last = pieces.at(-1);
  if (last === undefined) return pieces;
  const { endSeconds, endKind } = last;
  const isLong = ({ startSeconds }: Piece): boolean => !isTooShort(endSeconds - startSeconds);
  const index = Math.max(0, pieces.findLastIndex(isLong));
  const before = pieces[index];
  if (before === undefined || before === last) return pieces;
  const kept = pieces.slice(0, index);
  const joined: Piece = { ...before, endSeconds, endKind };
  if (caps.fewest(joined) === caps.fewest(before)) return [...kept, joined];
  const cutSeconds = endSeconds - MIN_REMAINDER_SECONDS;
  return [...kept, { ...before, endSeconds: cutSeconds }, { ...last, startSeconds: cutSeconds }];
}
