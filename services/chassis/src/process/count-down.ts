/** A timeout that only counts while it runs: between `start` and `stop`, any number of times. */
export interface CountDown {
  start(): void;
  stop(): void;
  /** The time counted so far; at least the limit once it has expired. */
  usedMs(): number;
}

/** Calls `onEnd` once, when `limitMs` have been counted. */
export function createCountDown(limitMs: number, onEnd: () => void): CountDown {
  let countedMs = 0;
  let hasEnded = false;
  let run: { readonly startedAtMs: number; readonly timer: NodeJS.Timeout } | undefined;
  const runMs = () => (run === undefined ? 0 : performance.now() - run.startedAtMs);
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    onEnd();
  };
  return {
    start() {
      run ??= {
        startedAtMs: performance.now(),
        // A timer holds at most 2^31 - 1 ms.
        timer: setTimeout(end, Math.min(Math.max(0, limitMs - countedMs), 2_147_483_647)),
      };
    },
    stop() {
      if (run === undefined) return;
      clearTimeout(run.timer);
      countedMs += runMs();
      run = undefined;
    },
    // A timer may fire a fraction of a millisecond early.
    usedMs: () => Math.max(hasEnded ? limitMs : 0, countedMs + runMs()),
  };
}
