/** Tells a source that drips from one whose reader is slow: only time spent waiting for bytes counts. */
export interface SpeedWatch {
  /** False once a whole window of waiting has brought fewer bytes than the floor. */
  observe(waitedMs: number, bytes: number): boolean;
}

/**
 * Windows follow one another and never overlap, so a source that falls silent-but-for-a-drip is caught
 * within two of them.
 */
export function createSpeedWatch(windowMs: number, minBytesPerSecond: number): SpeedWatch {
  let windowWaitedMs = 0;
  let windowBytes = 0;
  return {
    observe(waitedMs, bytes) {
      windowWaitedMs += waitedMs;
      windowBytes += bytes;
      if (windowWaitedMs < windowMs) return true;
      const isFastEnough = windowBytes * 1000 >= minBytesPerSecond * windowWaitedMs;
      windowWaitedMs = 0;
      windowBytes = 0;
      return isFastEnough;
    },
  };
}
