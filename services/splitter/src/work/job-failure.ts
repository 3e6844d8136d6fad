/**
 * How an attempt that ended with an error is reported: the public code and message, and whether another
 * attempt could succeed.
 */
import { MediaError } from '@audiosplit/engine/media-error';
import { isCorruptPiece } from '@audiosplit/engine/parts/corrupt-piece';
import { SourceError } from '../source/source-error.ts';
import { EndedByOwnerError, LeaseLostError } from './lease/lease.ts';
import { NotReservedError } from './reserve-minutes.ts';
import { ScratchBusyError } from './scratch-budget.ts';
import { DestinationError } from './storing/destination-error.ts';

/** The process stops before the job has ended. */
export class DrainingError extends Error {
  override readonly name = 'DrainingError';
}

/** The job has used up its time. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
}

export type AttemptEnd =
  | { readonly kind: 'failed'; readonly code: string; readonly message: string; readonly retryable: boolean }
  /** Hand the job back; the attempt does not count. */
  | { readonly kind: 'released' }
  /** Hand back the part, and with it the whole job, which cannot be done in parts. */
  | { readonly kind: 'indivisible' }
  /** Report nothing: the job's owner has canceled or removed it. */
  | { readonly kind: 'ended' }
  /** Report nothing: the job waits for minutes of its account, or has failed because it has none. */
  | { readonly kind: 'unreserved' }
  /** Report nothing: another worker has the job. */
  | { readonly kind: 'lost' };

export function endOfAttempt(error: unknown): AttemptEnd {
  if (error instanceof EndedByOwnerError) return { kind: 'ended' };
  if (error instanceof LeaseLostError) return { kind: 'lost' };
  if (error instanceof NotReservedError) return { kind: 'unreserved' };
  if (error instanceof DrainingError || error instanceof ScratchBusyError) return { kind: 'released' };
  if (isCorruptPiece(error)) return { kind: 'indivisible' };
  if (error instanceof OutOfTimeError) {
    const message = 'The job took longer than is allowed. Try a shorter source, or another time.';
    return { kind: 'failed', code: 'TIMED_OUT', message, retryable: false };
  }
  if (error instanceof SourceError) {
    return { kind: 'failed', code: error.failure, message: error.message, retryable: error.retryable };
  }
  if (error instanceof DestinationError) {
    return { kind: 'failed', code: error.failure, message: error.message, retryable: error.retryable };
  }
  if (error instanceof MediaError && error.failure !== 'INTERNAL_ERROR') {
    return { kind: 'failed', code: error.failure, message: error.message, retryable: false };
  }
  return {
    kind: 'failed',
    code: 'INTERNAL_ERROR',
    message: 'The split went wrong on our side.',
    retryable: true,
  };
}
