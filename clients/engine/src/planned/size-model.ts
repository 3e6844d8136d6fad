/**
 * Predicts the sizes of copies. A plan made with the model is measured before it is carried out, so the model need not
 * be exact.
 *
 * The source is walked three times, and nothing is written: cut at all lines of a fine grid, at the even ones, and at
 * the odd ones. Two neighbouring cells are smaller as one file than as two, by what a cut costs at the line between
 * them: headers, and packets that both files hold. That cost differs from place to place, because such packets are as
 * large as the sound demands. With it the sizes of all files from line to line follow:
 *
 *   size from a to b = sum of the cells - sum of the costs of the lines between a and b
 *
 * Between two lines, sizes are assumed to grow evenly, from the headers on. The headers are the smallest cost.
 */
import type { SizeModel } from '@audiosplit/cuts/plan/caps';
import type { Piece } from '@audiosplit/cuts/plan/piece';
import { type CopyPlan, measurePieces } from './copy-passes.ts';

const MAX_GRID_LINES = 2_000;
const MIN_STEP_SECONDS = 0.5;

export async function measureSizes(
  plan: Omit<CopyPlan, 'pieces' | 'maxTagBytes'>,
  maxTagBytes: number,
): Promise<SizeModel> {
  const totalSeconds = plan.totalSeconds - plan.offsetSeconds;
  const stepSeconds = Math.max(MIN_STEP_SECONDS, totalSeconds / MAX_GRID_LINES);
  const count = Math.max(1, Math.floor(totalSeconds / stepSeconds));
  const lines = Array.from({ length: count + 1 }, (_, n) => (n === count ? totalSeconds : n * stepSeconds));
  /** Sizes of the files from line to line. */
  const measure = async (ends: readonly number[]): Promise<readonly number[]> => {
    const pieces = ends.slice(1).map(
      (endSeconds, index): Piece => ({
        startSeconds: ends[index] ?? 0,
        endSeconds,
        endKind: endSeconds === totalSeconds ? 'end' : 'exact',
      }),
    );
    const files = await measurePieces({ ...plan, totalSeconds, offsetSeconds: 0, maxTagBytes, pieces });
    return files.map((file) => file?.sizeBytes ?? 0);
  };
  const cells = await measure(lines);
  const costs = Array.from({ length: count + 1 }, () => 0);
  for (const first of count > 1 ? [0, 1] : []) {
    const chosen = lines.filter((_, n) => n % 2 === first || n === 0 || n === count);
    const pairs = await measure(chosen);
    for (let n = first + 1; n < count; n += 2) {
      const pair = pairs[(n + first) >>> 1] ?? 0;
      costs[n] = Math.max(0, (cells[n - 1] ?? 0) + (cells[n] ?? 0) - pair);
    }
  }
  return createSizeModel(lines, cells, costs);
}

/**
 * `cells[n]`: bytes of the file from `lines[n]` to `lines[n + 1]`; `costs[n]`: of a cut at `lines[n]`, without those of
 * the first and the last line.
 */
export function createSizeModel(
  lines: readonly number[],
  cells: readonly number[],
  costs: readonly number[],
): SizeModel {
  const last = lines.length - 1;
  const headerBytes = last > 1 ? Math.min(...costs.slice(1, last)) : 0;
  const costAt = (n: number) => (n === 0 || n === last ? headerBytes : (costs[n] ?? 0));
  /** Of the file from the first line to each. */
  const bytesUpTo = [headerBytes];
  for (const [n, cell] of cells.entries()) {
    const before = bytesUpTo.at(-1) ?? 0;
    bytesUpTo.push(Math.max(before, before + cell - costAt(n)));
  }
  /** What a file that begins at a line lacks of `bytesUpTo`. A later start never lacks less. */
  const lackingFrom = bytesUpTo.map((bytes, n) => bytes - costAt(n));
  for (let n = lackingFrom.length - 2; n >= 0; n--)
    lackingFrom[n] = Math.min(lackingFrom[n] ?? 0, lackingFrom[n + 1] ?? 0);

  return {
    latestEnd(startSeconds, byteCount) {
      const lacking = interpolate(lines, lackingFrom, startSeconds);
      if (lacking === Number.POSITIVE_INFINITY) return startSeconds;
      return interpolate(bytesUpTo, lines, lacking + byteCount);
    },
    earliestStart(endSeconds, byteCount) {
      const bytes = Math.min(interpolate(lines, bytesUpTo, endSeconds), bytesUpTo.at(-1) ?? 0);
      const lacking = bytes - byteCount;
      return lacking <= (lackingFrom[0] ?? 0)
        ? 0
        : Math.min(endSeconds, interpolate(lackingFrom, lines, lacking));
    },
  };
}

/** Linear between the points (from[n], to[n]), beyond the last one Infinity. */
function interpolate(from: readonly number[], to: readonly number[], value: number): number {
  let low = 0;
  let high = from.length - 1;
  if (value >= (from[high] ?? 0)) return Number.POSITIVE_INFINITY;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if ((from[middle] ?? 0) <= value) low = middle;
    else high = middle;
  }
  const [a = 0, b = 0] = [from[low], from[high]];
  const [c = 0, d = 0] = [to[low], to[high]];
  return b === a ? c : c + ((value - a) * (d - c)) / (b - a);
}

/** For formats where every second of audio takes the same number of bytes. */
export function createConstantSizeModel(secondsWithin: (byteCount: number) => number): SizeModel {
  return {
    latestEnd: (startSeconds, byteCount) => startSeconds + secondsWithin(byteCount),
    earliestStart: (endSeconds, byteCount) => endSeconds - secondsWithin(byteCount),
  };
}
