/**
 * Minutes are reserved when a job is claimed and counted when it completes, so that jobs which run at the same time cannot
 * pass the account's bound together (docs/decisions/0050-reservations.md). The bound is the quota of a plan without
 * overage, or the account's spend limit. Pure.
 */
import type { Job } from '../job.ts';

/** What an account may still have metered, from billing's books and from those of this service. */
export interface Standing {
  /** Neither counted by billing nor completed here. Reserved milliseconds are part of it. */
  readonly leftMs: number;
  /** Of jobs that completed while billing was asked: it may have counted them or not. */
  readonly uncertainMs: number;
  /** Reserved by other jobs. */
  readonly heldMs: number;
}

export type Verdict =
  | { readonly kind: 'granted'; readonly reservedMs: number }
  /** It may fit when other jobs give back what they hold. */
  | { readonly kind: 'waits' }
  /** It can never fit. */
  | { readonly kind: 'exceeds' }
  /** Billing has to be asked again. */
  | { readonly kind: 'uncertain' };

export function judgeReservation(neededMs: number, { leftMs, uncertainMs, heldMs }: Standing): Verdict {
  if (neededMs > leftMs) return { kind: 'exceeds' };
  if (neededMs <= leftMs - uncertainMs - heldMs) return { kind: 'granted', reservedMs: neededMs };
  return { kind: neededMs <= leftMs - heldMs ? 'uncertain' : 'waits' };
}

/** The worker has not said before what the job needs: one of an earlier release does not. */
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

/** What a source of this size can hold, unless it is of a lower rate than audio usually is. */
export function mostMsOf(sizeBytes: number): number {
  return Math.ceil(sizeBytes / LEAST_BYTES_PER_MS);
}

/** For a source of unknown length: what its size can hold, at most what others leave; something where they leave nothing. */
export function assumedMs(
  sizeBytes: number,
  { leftMs, heldMs }: Pick<Standing, 'leftMs' | 'heldMs'>,
): number {
  return Math.max(1, Math.min(mostMsOf(sizeBytes), leftMs - heldMs));
}
