/** The measurements of a run, and whether they are within the bounds. */
import { median } from '@audiosplit/chassis/testing/latency';

export interface Measured {
  readonly name: string;
  readonly title: string;
  readonly bound: string;
  /** Milliseconds of the innocent account's jobs. */
  readonly idleMs: readonly number[];
  readonly besideMs: readonly number[];
  readonly growthBytes: number;
  readonly scratchBytes: number;
  readonly got: string;
  readonly lost: readonly string[];
  /** Violated promises other than those to the innocent account. */
  readonly broken: readonly string[];
}

export interface Bounds {
  readonly growthBytes: number;
  readonly scratchBytes: number;
}

const MOST_MOVEMENT = 1.2;
/** A difference below this does not count: the machine itself causes as much. */
const LEAST_DIFFERENCE_MS = 100;

/** A line for each exceeded bound. */
export function faultsOf(measured: Measured, bounds: Bounds): readonly string[] {
  const { idleMs, besideMs, growthBytes, scratchBytes, lost, broken } = measured;
  const [idle, beside] = [median(idleMs), median(besideMs)];
  const isMoved = beside > idle * MOST_MOVEMENT && beside - idle >= LEAST_DIFFERENCE_MS;
  return [
    ...(isMoved ? [`the median moved from ${idle.toFixed(0)} to ${beside.toFixed(0)} ms`] : []),
    ...(growthBytes > bounds.growthBytes ? [`a process grew by ${inMebibytes(growthBytes)}`] : []),
    ...(scratchBytes > bounds.scratchBytes ? [`scratch held ${inMebibytes(scratchBytes)}`] : []),
    ...lost.map((line) => `lost: ${line}`),
    ...broken,
  ];
}

export function inMebibytes(bytes: number): string {
  return `${(bytes / 1024 ** 2).toFixed(0)} MiB`;
}
