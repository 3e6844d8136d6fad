import { createCountDown } from '@audiosplit/chassis/process/count-down';
import { SourceError } from './source-error.ts';
import type { SourceUse } from './source-use.ts';

/** The total time of all transfers of a job. It counts while the job waits for its source. */
export interface FetchTime {
  /** Aborts when the time is used up, with SourceError `SOURCE_TIMEOUT`. */
  readonly signal: AbortSignal;
  /** The time counted in this attempt so far. */
  usedMs(): number;
  counting<T>(wait: () => Promise<T>): Promise<T>;
  /** Called within a wait that counts: time does not count until this one has settled. */
  notCounting<T>(wait: () => Promise<T>): Promise<T>;
}

export function createFetchTime(limitMs: number, use: SourceUse): FetchTime {
  const usedBeforeMs = use.fetchMs;
  const expiry = new AbortController();
  const countDown = createCountDown(limitMs - usedBeforeMs, () => {
    const message = `The source took more than ${limitMs / 1_000} s to be fetched.`;
    expiry.abort(new SourceError('SOURCE_TIMEOUT', message, false));
  });
  const stop = () => {
    countDown.stop();
    use.fetchMs = usedBeforeMs + countDown.usedMs();
  };
  return {
    signal: expiry.signal,
    usedMs: countDown.usedMs,
    async counting(wait) {
      countDown.start();
      try {
        return await wait();
      } finally {
        stop();
      }
    },
    async notCounting(wait) {
      stop();
      try {
        return await wait();
      } finally {
        countDown.start();
      }
    },
  };
}
