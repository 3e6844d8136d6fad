import { formatBytes } from '@audiosplit/chassis/format-bytes';
import { SourceError } from './source-error.ts';
import type { SourceLimits } from './source-limits.ts';

/** Distinguishes a slow source from a slow reader: only time spent waiting for bytes counts. */
interface SpeedWatch {
  /**
   * Called with bytes that arrived after a wait. False once a window of waiting has brought less than the
   * minimum.
   */
  observe(waitedMs: number, bytes: number): boolean;
}

/** Checks each chunk on arrival. Throws SOURCE_TIMEOUT once the source is too slow. */
export function createSpeedJudge(
  { speedWindowMs, minBytesPerSecond }: Pick<SourceLimits, 'speedWindowMs' | 'minBytesPerSecond'>,
  waitedMs: () => number,
): (chunkBytes: number) => void {
  const speed = createSpeedWatch(speedWindowMs, minBytesPerSecond);
  let judgedMs = waitedMs();
  return (chunkBytes) => {
    const unjudgedMs = waitedMs() - judgedMs;
    judgedMs += unjudgedMs;
    if (speed.observe(unjudgedMs, chunkBytes)) return;
    const floor = `${formatBytes(minBytesPerSecond)} a second over ${speedWindowMs / 1000} s`;
    throw new SourceError('SOURCE_TIMEOUT', `The source sent less than ${floor}.`, false);
  };
}

/** Each window has this many steps, and is checked at each of them. */
const STEPS = 30;

/** The first window begins with the first observation, that of the first byte. */
export function createSpeedWatch(windowMs: number, minBytesPerSecond: number): SpeedWatch {
  const stepMs = windowMs / STEPS;
  const minWindowBytes = (minBytesPerSecond * windowMs) / 1_000;
  // A ring buffer of the bytes in each of the last steps, including the current one.
  const stepBytes = new Array<number>(STEPS).fill(0);
  let isBegun = false;
  let waitedTotalMs = 0;
  let step = 0;
  let windowBytes = 0;
  return {
    observe(waitedMs, bytes) {
      if (isBegun) waitedTotalMs += waitedMs;
      isBegun = true;
      const arrivalStep = Math.floor(waitedTotalMs / stepMs);
      // After a wait longer than two windows, every window has been checked.
      for (const lastStep = Math.min(arrivalStep, step + 2 * STEPS); step < lastStep; ) {
        if (step >= STEPS - 1 && windowBytes < minWindowBytes) return false;
        step += 1;
        windowBytes -= stepBytes[step % STEPS] ?? 0;
        stepBytes[step % STEPS] = 0;
      }
      step = arrivalStep;
      windowBytes += bytes;
      stepBytes[step % STEPS] = (stepBytes[step % STEPS] ?? 0) + bytes;
      return true;
    },
  };
}
