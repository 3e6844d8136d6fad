/**
 * One fraction over several phases of a job, each of which has its share. The reported value never decreases,
 * never exceeds 1 and is never NaN, even if sizes turn out to be wrong.
 */
export interface Progress {
  /**
   * Returns a reporter of (done, total) for the span [from, to]. Without a known total it reports nothing.
   */
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
