/** What is said of many durations, by benches and load tests alike. */

/**
 * The smallest value that at least the share `q` of all values do not exceed (nearest rank): always one that was measured.
 * NaN without values. `sorted` ascends.
 */
export function quantile(sorted: readonly number[], q: number): number {
  if (sorted.length === 0) return Number.NaN;
  const rank = Math.min(sorted.length, Math.max(1, Math.ceil(q * sorted.length)));
  return sorted[rank - 1] ?? Number.NaN;
}

export function ascending(values: readonly number[]): number[] {
  return [...values].sort((one, other) => one - other);
}

/** The mean of the two in the middle where there is no single one. NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const middle = Math.floor(sorted.length / 2);
  const [upper = Number.NaN, lower = upper] = [sorted[middle], sorted[middle - 1]];
  return sorted.length % 2 === 1 ? upper : (upper + lower) / 2;
}

export interface Latency {
  readonly count: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

export function latencyOf(durationsMs: readonly number[]): Latency {
  const sorted = ascending(durationsMs);
  return {
    count: sorted.length,
    p50Ms: quantile(sorted, 0.5),
    p95Ms: quantile(sorted, 0.95),
    p99Ms: quantile(sorted, 0.99),
    maxMs: quantile(sorted, 1),
  };
}

/** Resolves to the milliseconds that the work has taken, and to its result. */
export async function timed<T>(work: () => Promise<T>): Promise<[ms: number, result: T]> {
  const startedAt = performance.now();
  const result = await work();
  return [performance.now() - startedAt, result];
}
