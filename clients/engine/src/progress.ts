/**
 * One fraction over several phases of a job. Each phase owns a span of it; what is reported never falls,
 * never passes 1 and is never NaN, whatever sizes turn out to be wrong.
 */
export interface Progress {
  /** Returns a reporter of (done, total) for the span [from, to]; an unknown total reports nothing. */
  span(from: number, to: number): (done: number, total: number | undefined) => void;
}

export function createProgress(onProgress: (fraction: number) => void): Progress {
  let reported = -1;
  return {
    span: (from, to) => (done, total) => {
      if (total === undefined || !(total > 0) || Number.isNaN(done)) return;
      const fraction = from + (to - from) * Math.min(1, Math.max(0, done / total));
      if (fraction <= reported) return;
      reported = fraction;
      onProgress(fraction);
    },
  };
}
