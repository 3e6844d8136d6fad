import { contentSeconds, type Piece } from '@audiosplit/cuts/plan/piece';
import { maxTagBytesByLength, maxTagBytesBySize } from '../cuts/cut-rule.ts';
import type { PlannedSplit } from './prepare.ts';

/** The largest tag, cover picture included, that is repeated in every segment of a plan. */
export function maxTagBytesOf({ request }: PlannedSplit, pieces: readonly Piece[]): number {
  const { maxFileSize } = request;
  if (maxFileSize !== undefined) return maxTagBytesBySize(maxFileSize);
  const seconds = pieces.reduce((sum, piece) => sum + contentSeconds(piece), 0);
  return maxTagBytesByLength(seconds / pieces.length);
}
