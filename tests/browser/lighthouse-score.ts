/**
 * The performance score of Lighthouse 12, from metrics taken in Chromium under Lighthouse's conditions:
 * https://github.com/GoogleChrome/lighthouse/blob/main/docs/throttling.md and the audits' own `scoring`.
 */

export interface Metrics {
  readonly firstPaintMs: number;
  readonly largestPaintMs: number;
  readonly blockedMs: number;
  readonly shift: number;
}

interface Curve {
  readonly weight: number;
  readonly measure: (metrics: Metrics) => number;
  /** The values that score 0.9 and 0.5. */
  readonly desk: readonly [number, number];
  readonly phone: readonly [number, number];
}

const CURVES: readonly Curve[] = [
  { weight: 10, measure: ({ firstPaintMs }) => firstPaintMs, desk: [934, 1_600], phone: [1_800, 3_000] },
  // For the speed index: a page counts as complete with its largest paint.
  {
    weight: 10,
    measure: ({ largestPaintMs }) => largestPaintMs,
    desk: [1_311, 2_300],
    phone: [3_387, 5_800],
  },
  {
    weight: 25,
    measure: ({ largestPaintMs }) => largestPaintMs,
    desk: [1_200, 2_400],
    phone: [2_500, 4_000],
  },
  { weight: 30, measure: ({ blockedMs }) => blockedMs, desk: [150, 350], phone: [200, 600] },
  { weight: 25, measure: ({ shift }) => shift, desk: [0.1, 0.25], phone: [0.1, 0.25] },
];

const bytesPerSecond = (megabits: number) => (megabits * 1_024 * 1_024) / 8;

/** The devices that Lighthouse emulates. */
export const DEVICES = {
  desk: {
    viewport: { width: 1350, height: 940 },
    network: { latency: 40, downloadThroughput: bytesPerSecond(10), uploadThroughput: bytesPerSecond(10) },
    cpuSlowdown: 1,
  },
  phone: {
    viewport: { width: 412, height: 823 },
    network: {
      latency: 150,
      downloadThroughput: bytesPerSecond(1.6),
      uploadThroughput: bytesPerSecond(0.75),
    },
    cpuSlowdown: 4,
  },
} as const;

export type Device = keyof typeof DEVICES;

/** From 0 to 100. */
export function lighthouseScore(metrics: Metrics, device: Device): number {
  return CURVES.reduce(
    (sum, { weight, measure, [device]: [good, median] }) =>
      sum + weight * logNormal(measure(metrics), good, median),
    0,
  );
}

/** Decreases from 1 to 0 as the logarithm of a normally distributed value: 0.9 at `good`, 0.5 at `median`. */
function logNormal(value: number, good: number, median: number): number {
  if (value <= 0) return 1;
  const SCALE = 1 / 0.9061938024368232;
  return (1 - erf(Math.log(value / median) / Math.log(median / good) / SCALE)) / 2;
}

/** Abramowitz and Stegun, 7.1.26. */
function erf(x: number): number {
  const t = 1 / (1 + 0.3275911 * Math.abs(x));
  const sum =
    t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))));
  return Math.sign(x) * (1 - sum * Math.exp(-x * x));
}
