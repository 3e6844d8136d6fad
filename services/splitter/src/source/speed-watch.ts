import { formatBytes } from '@audiosplit/chassis/format-bytes';
import { SourceError } from './source-error.ts';
import type { SourceLimits } from './source-limits.ts';

/** Tells a source that drips from one whose reader is slow: only time spent waiting for bytes counts. */
interface SpeedWatch {
  /** Bytes that came after a wait. False once some window of waiting has brought less than the floor. */
  observe(waitedMs: number, bytes: number): boolean;
}

/** Judges each chunk as it comes. Throws SOURCE_TIMEOUT once the source is too slow. */
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

/** Windows are judged at each of so many steps of their length. */
const STEPS = 30;

/** The first window begins with the first observation, which is the first byte's. */
export function createSpeedWatch(windowMs: number, minBytesPerSecond: number): SpeedWatch {
  const stepMs = windowMs / STEPS;
  const minWindowBytes = (minBytesPerSecond * windowMs) / 1_000;
  // A ring: what each of the last steps has brought, the current one included.
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
      // A wait longer than two windows has judged every window that it can.
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
