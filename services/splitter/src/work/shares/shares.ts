import { type AccountPlaces, createAccountPlaces } from './account-places.ts';
import { type CoreTurn, type CoreTurns, createCoreTurns } from './core-turns.ts';
import { MAX_AHEAD_BYTES } from './fed-source.ts';

/** What the jobs of a splitter share. */
export interface Shares {
  readonly cores: CoreTurns;
  readonly fetches: AccountPlaces;
  /** Engines whose sources are still coming in: one that starves keeps its memory, but no slot. */
  readonly streaming: AccountPlaces;
}

/** What a job needs to get its share. */
export interface JobShares extends Pick<Shares, 'fetches' | 'streaming'> {
  readonly turn: CoreTurn;
}

const STREAMING_PER_SLOT = 2;
/** A fetch that is set aside, or waits for a place, has been claimed. */
const JOBS_PER_FETCH = 2;

/** What jobs hold in the scratch folder of sources that they do not work on yet. */
export function maxAheadBytes(slots: number, fetches: number): number {
  return maxJobs(slots, fetches) * MAX_AHEAD_BYTES;
}

function maxJobs(slots: number, fetches: number): number {
  return slots + JOBS_PER_FETCH * fetches;
}

interface SharesOptions {
  readonly slots: number;
  readonly fetches: number;
  /** A further job may be claimed. */
  readonly onRoom: () => void;
  readonly onSetAside: () => void;
}

export function createShares({ slots, fetches, onRoom, onSetAside }: SharesOptions): Shares {
  return {
    cores: createCoreTurns({ slots, maxJobs: maxJobs(slots, fetches), onRoom }),
    fetches: createAccountPlaces({ limit: fetches, onSetAside }),
    streaming: createAccountPlaces({ limit: STREAMING_PER_SLOT * slots }),
  };
}
