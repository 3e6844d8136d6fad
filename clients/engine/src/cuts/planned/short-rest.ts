import { MIN_REMAINDER_SECONDS } from '../cut.ts';
import type { Caps } from './caps.ts';
import type { Piece } from './piece.ts';

/**
 * Pieces one after the other, the last of which has a tenth of a second at least: a shorter rest joins the piece before it.
 * Where that would take another segment under the caps, the piece before gives up so much that the rest has a tenth.
 */
export function joinShortRest(pieces: readonly Piece[], caps: Pick<Caps, 'fewest'>): readonly Piece[] {
  const last = pieces.at(-1);
  if (last === undefined) return pieces;
  const { endSeconds, endKind } = last;
  const isLong = ({ startSeconds }: Piece): boolean => endSeconds - startSeconds >= MIN_REMAINDER_SECONDS;
  const index = Math.max(0, pieces.findLastIndex(isLong));
  const before = pieces[index];
  if (before === undefined || before === last) return pieces;
  const kept = pieces.slice(0, index);
  const joined: Piece = { ...before, endSeconds, endKind };
  if (caps.fewest(joined) === caps.fewest(before)) return [...kept, joined];
  const cutSeconds = endSeconds - MIN_REMAINDER_SECONDS;
  return [...kept, { ...before, endSeconds: cutSeconds }, { ...last, startSeconds: cutSeconds }];
}
