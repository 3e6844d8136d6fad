/**
 * Predicts the sizes of copies: the file is walked once and cut at a fine grid, and nothing is written. The
 * excess of the many small files over one large one is the overhead of each file; the rest is audio, assumed
 * to be spread evenly between two grid lines. A plan made with the model is measured before it is carried
 * out, so the model need not be exact.
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
  const grid: Piece[] = Array.from({ length: count }, (_, n) => ({
    startSeconds: n * stepSeconds,
    endSeconds: n === count - 1 ? totalSeconds : (n + 1) * stepSeconds,
    endKind: 'exact',
  }));
  const whole: Piece = { startSeconds: 0, endSeconds: totalSeconds, endKind: 'end' };
  const shared = { ...plan, totalSeconds, offsetSeconds: 0, maxTagBytes };
  const [all] = await measurePieces({ ...shared, pieces: [whole] });
  const parts = count === 1 ? [all] : await measurePieces({ ...shared, pieces: grid });
  const sizes = parts.map((part) => part?.sizeBytes ?? 0);
  const sum = sizes.reduce((total, size) => total + size, 0);
  const overheadBytes = count === 1 ? 0 : Math.max(0, (sum - (all?.sizeBytes ?? 0)) / (count - 1));
  return createSizeModel(
    grid.map(({ endSeconds }) => endSeconds),
    sizes.map((size) => Math.max(0, size - overheadBytes)),
    overheadBytes,
  );
}

/** `bytes[n]`: of the audio between `ends[n - 1]` and `ends[n]`. */
export function createSizeModel(
  ends: readonly number[],
  bytes: readonly number[],
  overheadBytes: number,
): SizeModel {
  const bytesUpTo = [0];
  for (const count of bytes) bytesUpTo.push((bytesUpTo.at(-1) ?? 0) + count);
  const times = [0, ...ends];

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

  return {
    latestEnd(startSeconds, byteCount) {
      const before = interpolate(times, bytesUpTo, startSeconds);
      if (before === Number.POSITIVE_INFINITY) return startSeconds;
      return interpolate(bytesUpTo, times, before + byteCount - overheadBytes);
    },
    earliestStart(endSeconds, byteCount) {
      const before = Math.min(interpolate(times, bytesUpTo, endSeconds), bytesUpTo.at(-1) ?? 0);
      return before <= byteCount - overheadBytes
        ? 0
        : interpolate(bytesUpTo, times, before - byteCount + overheadBytes);
    },
  };
}

/** For formats where every second of audio takes the same number of bytes. */
export function createConstantSizeModel(secondsWithin: (byteCount: number) => number): SizeModel {
  return {
    latestEnd: (startSeconds, byteCount) => startSeconds + secondsWithin(byteCount),
    earliestStart: (endSeconds, byteCount) => endSeconds - secondsWithin(byteCount),
  };
}
