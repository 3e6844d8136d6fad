/** A run in buckets of whole seconds, few enough to be drawn. */
import { type Latency, latencyOf } from '@audiosplit/chassis/testing/latency';
import type { RequestSample } from './samples.ts';

export interface Timeline {
  readonly bucketSeconds: number;
  readonly points: readonly TimelinePoint[];
}

/** Percentiles are NaN, and null in JSON, where nothing was answered. */
export interface TimelinePoint extends Pick<Latency, 'p50Ms' | 'p95Ms' | 'p99Ms'> {
  /** From the first request to the middle of the bucket. */
  readonly second: number;
  readonly answeredPerSecond: number;
  /** 429s. */
  readonly refusedPerSecond: number;
  readonly failedPerSecond: number;
}

const MOST_BUCKETS = 240;

export function timelineOf(requests: readonly RequestSample[]): Timeline {
  const [first, last] = timeSpan(requests);
  const bucketSeconds = Math.max(1, Math.ceil((last - first) / 1_000 / MOST_BUCKETS));
  const count = Math.floor((last - first) / 1_000 / bucketSeconds) + 1;
  const buckets = Array.from({ length: requests.length === 0 ? 0 : count }, (): RequestSample[] => []);
  for (const request of requests) {
    buckets[Math.floor((request.atMs - first) / 1_000 / bucketSeconds)]?.push(request);
  }
  const points = buckets.map((inBucket, n): TimelinePoint => {
    const refused = inBucket.filter(({ status }) => status === 429).length;
    const failed = inBucket.filter(({ isExpected }) => !isExpected).length;
    const { p50Ms, p95Ms, p99Ms } = latencyOf(inBucket.map(({ durationMs }) => durationMs));
    return {
      second: (n + 0.5) * bucketSeconds,
      answeredPerSecond: (inBucket.length - refused - failed) / bucketSeconds,
      refusedPerSecond: refused / bucketSeconds,
      failedPerSecond: failed / bucketSeconds,
      p50Ms,
      p95Ms,
      p99Ms,
    };
  });
  return { bucketSeconds, points };
}

/** In ms; not by Math.min of all, which hours of load overflow. */
function timeSpan(requests: readonly RequestSample[]): [first: number, last: number] {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { atMs } of requests) {
    if (atMs < first) first = atMs;
    if (atMs > last) last = atMs;
  }
  return [first, last];
}
