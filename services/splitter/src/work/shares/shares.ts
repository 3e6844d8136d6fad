import { type AccountPlaces, createAccountPlaces } from './account-places.ts';
import type { AheadMemory } from './ahead-buffer.ts';
import { type CoreTurn, type CoreTurns, createCoreTurns } from './core-turns.ts';
import { MAX_AHEAD_BYTES } from './fed-source.ts';

/** The resources that the jobs of a splitter share. */
export interface Shares {
  readonly cores: CoreTurns;
  readonly fetches: AccountPlaces;
  /** As many engines as slots whose sources are still arriving: one that starves keeps its memory, but no core. */
  readonly streaming: AccountPlaces;
  readonly aheadMemory: AheadMemory;
}

/** What a job needs to get its share. */
export interface JobShares extends Pick<Shares, 'fetches' | 'streaming' | 'aheadMemory'> {
  readonly turn: CoreTurn;
}

/** A job whose fetch is interrupted, or waits for a slot, has been claimed as well. */
const JOBS_PER_FETCH = 2;

/** The scratch space for sources of jobs that are not processed yet. */
export function maxAheadBytes(slots: number, fetches: number): number {
  return maxJobs(slots, fetches) * MAX_AHEAD_BYTES;
}

function maxJobs(slots: number, fetches: number): number {
  return slots + JOBS_PER_FETCH * fetches;
}

interface SharesOptions {
  readonly slots: number;
  readonly fetches: number;
  /** Another job may be claimed. */
  readonly onRoom: () => void;
  readonly onSetAside: () => void;
  /** A job has passed its slot on to another account. */
  readonly onPassOn: () => void;
}

export function createShares({ slots, fetches, onSetAside, ...events }: SharesOptions): Shares {
  return {
    cores: createCoreTurns({ slots, maxJobs: maxJobs(slots, fetches), ...events }),
    fetches: createAccountPlaces({ limit: fetches, onSetAside }),
    streaming: createAccountPlaces({ limit: slots }),
    aheadMemory: { usedBytes: 0 },
  };
}
