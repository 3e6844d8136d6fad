/** Adds up the time between `start` and `stop`, any number of times. */
export interface Stopwatch {
  start(): void;
  stop(): void;
  /** The time since the last call. A running stopwatch continues. */
  takeMs(): number;
}

/** `nowMs`: a monotonic clock. */
export function createStopwatch(nowMs: () => number = () => performance.now()): Stopwatch {
  let countedMs = 0;
  let runsSinceMs: number | undefined;
  const count = () => {
    if (runsSinceMs !== undefined) countedMs += nowMs() - runsSinceMs;
  };
  return {
    start() {
      runsSinceMs ??= nowMs();
    },
    stop() {
      count();
      runsSinceMs = undefined;
    },
    takeMs() {
      count();
      if (runsSinceMs !== undefined) runsSinceMs = nowMs();
      const takenMs = countedMs;
      countedMs = 0;
      return takenMs;
    },
  };
}
