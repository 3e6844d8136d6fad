/**
 * What a profile is: how many requests arrive, how fast and for how long, and what has to hold. A journey says what each
 * arrival does (../k6/journeys). Nothing here imports k6, so the runner and the tests read the same profiles.
 *
 * The model is open: arrivals come by the clock, whether or not earlier ones have been answered, so that a slow system meets
 * a growing queue. All VUs are allocated beforehand, and no iteration may be dropped.
 */

import type { CallerName } from './journeys.ts';
import type { Load } from './shapes.ts';

export interface Settings {
  readonly minutes: number;
  /** Multiplies the rates of profiles that may be of any size. */
  readonly scale: number;
  /** How many times its limit a flooding account asks for. */
  readonly floodTimes: number;
  /** Whether internal services can be reached, for journeys that call them. */
  readonly withRpc: boolean;
  /** Requests a minute that each caller's key is let through. */
  readonly limits: Readonly<Partial<Record<CallerName, number>>>;
}

export interface Profile {
  readonly name: string;
  readonly purpose: string;
  readonly defaultMinutes: number;
  /** Requests a minute that the runner asks the operator to allow. */
  readonly callers: Readonly<Partial<Record<CallerName, number>>>;
  /** Completed jobs of `caller` that are there before the load begins, to be read and listed. */
  readonly preparedJobs: number;
  /** What is found in the samples of a run beyond k6's thresholds. */
  readonly verdict?: 'limiter' | 'noisyNeighbour';
  /** What processes hold may not grow from the run's second quarter to its last. */
  readonly hasToStayFlat?: boolean;
  /** Whether a server beside the installation refuses every request: runner/stub-server.ts. */
  readonly hasStubServer?: boolean;
  /** The second of a minute at which arrivals begin, once all is prepared; absent: at once. */
  readonly startsAtSecond?: number;
  readonly build: (settings: Settings) => Load;
}
