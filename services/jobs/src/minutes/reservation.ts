/**
 * Minutes are reserved when a job is claimed and counted when it completes, so concurrent jobs cannot exceed
 * the account's limit together (docs/decisions/0050-reservations.md). The limit is the quota of a plan
 * without overage, or the account's spend limit. Pure.
 */
import type { Job } from '../job.ts';

/** The remaining minutes of an account, from billing's data and this service's. */
export interface Standing {
  /** Neither counted by billing nor completed here. Includes reserved milliseconds. */
  readonly leftMs: number;
  /** Used by jobs that completed while billing answered: it may have counted them or not. */
  readonly uncertainMs: number;
  /** Reserved by other jobs. */
  readonly heldMs: number;
}

export type Verdict =
  | { readonly kind: 'granted'; readonly reservedMs: number }
  /** It may fit when other jobs release their reservations. */
  | { readonly kind: 'waits' }
  /** It can never fit. */
  | { readonly kind: 'exceeds' }
  /** Billing must be queried again. */
  | { readonly kind: 'uncertain' };

export function judgeReservation(neededMs: number, { leftMs, uncertainMs, heldMs }: Standing): Verdict {
  if (neededMs > leftMs) return { kind: 'exceeds' };
  if (neededMs <= leftMs - uncertainMs - heldMs) return { kind: 'granted', reservedMs: neededMs };
  return { kind: neededMs <= leftMs - heldMs ? 'uncertain' : 'waits' };
}

/** The worker has not reported before what the job needs, as workers of earlier releases do not. */
export class BeyondReservationError extends Error {
  override readonly name = 'BeyondReservationError';
  readonly neededMs: number;
  constructor(neededMs: number) {
    super(`the job needs ${neededMs} ms, more than it has reserved`);
    this.neededMs = neededMs;
  }
}

/** Throws BeyondReservationError. */
export function requireReserved({ reservedMs }: Pick<Job, 'reservedMs'>, neededMs: number): void {
  if (reservedMs !== undefined && neededMs > reservedMs) throw new BeyondReservationError(neededMs);
}

/** Of 32 kbit/s. */
const LEAST_BYTES_PER_MS = 4;

/** The longest duration of a source of this size, at the lowest usual bit rate. */
export function mostMsOf(sizeBytes: number): number {
  return Math.ceil(sizeBytes / LEAST_BYTES_PER_MS);
}

/**
 * For a source of unknown length: the longest duration for its size, at most the minutes not held by others,
 * and at least 1 ms.
 */
export function assumedMs(
  sizeBytes: number,
  { leftMs, heldMs }: Pick<Standing, 'leftMs' | 'heldMs'>,
): number {
  return Math.max(1, Math.min(mostMsOf(sizeBytes), leftMs - heldMs));
}
