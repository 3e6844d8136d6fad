/**
 * A profile: how many requests arrive, at what rate and for how long, and the conditions that must hold. A
 * journey defines each arrival's actions (../k6/journeys). Nothing here imports k6, so the runner and the
 * tests read the same profiles.
 *
 * The model is open: arrivals follow the clock, whether or not earlier ones have been answered, so that a
 * slow system gets a growing queue. All VUs are allocated beforehand, and no iteration may be dropped.
 */

import type { CallerName } from './journeys.ts';
import type { Load } from './shapes.ts';

export interface Settings {
  readonly minutes: number;
  /** Multiplies the rates of profiles that support any size. */
  readonly scale: number;
  /** A flooding account requests this many times its limit. */
  readonly floodTimes: number;
  /** Whether the internal services are reachable, for journeys that call them. */
  readonly withRpc: boolean;
  /** The number of requests per minute that the limit of each caller's key allows. */
  readonly limits: Readonly<Partial<Record<CallerName, number>>>;
}

export interface Profile {
  readonly name: string;
  readonly purpose: string;
  readonly defaultMinutes: number;
  /** The number of requests per minute that the runner lets the operator allow. */
  readonly callers: Readonly<Partial<Record<CallerName, number>>>;
  /** Completed jobs of `caller` that exist before the load begins, to be read and listed. */
  readonly preparedJobs: number;
  /** Evaluates the samples of a run in addition to k6's thresholds. */
  readonly verdict?: 'limiter' | 'noisyNeighbour';
  /** The resources of processes may not grow from the run's second quarter to its last. */
  readonly hasToStayFlat?: boolean;
  /** Whether to start a server that refuses every request: runner/stub-server.ts. */
  readonly hasStubServer?: boolean;
  /** The second of a minute at which arrivals begin after the preparations; absent: at once. */
  readonly startsAtSecond?: number;
  readonly build: (settings: Settings) => Load;
}
