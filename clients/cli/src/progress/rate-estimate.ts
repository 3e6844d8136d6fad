/**
 * Recent speed: the slope over the last 30 s, because progress arrives in steps of some seconds and a shorter
 * window would make it jump. If a figure decreases (a repeated attempt starts again), the window is cleared.
 */
const WINDOW_MS = 30_000;
/** Below this a slope says more about the moment than about the speed. */
const MIN_SPAN_MS = 500;

export interface RateEstimate {
  add(atMs: number, done: number): void;
  /** Units per second; undefined until there is enough to go by. */
  perSecond(nowMs: number): number | undefined;
}

interface Sample {
  readonly atMs: number;
  readonly done: number;
}

export function createRateEstimate(): RateEstimate {
  let samples: Sample[] = [];
  return {
    add(atMs, done) {
      const last = samples.at(-1);
      if (last !== undefined && done < last.done) samples = [];
      if (last !== undefined && done === last.done) return;
      samples.push({ atMs, done });
      // One sample from before the window stays, so that the slope covers all of it.
      while ((samples[1]?.atMs ?? Number.POSITIVE_INFINITY) <= atMs - WINDOW_MS) samples.shift();
    },
    perSecond(nowMs) {
      const first = samples[0];
      const last = samples.at(-1);
      if (first === undefined || last === undefined) return undefined;
      const spanMs = nowMs - first.atMs;
      if (spanMs < MIN_SPAN_MS || last.done <= first.done) return undefined;
      return ((last.done - first.done) / spanMs) * 1000;
    },
  };
}

/** Undefined while the speed is unknown. */
export function secondsLeft(
  done: number,
  total: number,
  unitsPerSecond: number | undefined,
): number | undefined {
  if (unitsPerSecond === undefined || unitsPerSecond <= 0) return undefined;
  return Math.max(0, total - done) / unitsPerSecond;
}
