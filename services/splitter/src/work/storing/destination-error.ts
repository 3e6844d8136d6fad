import type { StoreError } from '../../bucket/store-error.ts';

/**
 * The segments cannot be stored in the bucket of the job's destination. `message` is shown to the API's
 * caller.
 */
export class DestinationError extends Error {
  override readonly name = 'DestinationError';
  readonly failure: 'FORBIDDEN_BY_STORE' | 'DESTINATION_UNREACHABLE';
  readonly retryable: boolean;
  constructor(cause: StoreError) {
    super(`The segments cannot be put into their bucket. ${cause.message}`, { cause });
    this.failure = cause.fault === 'forbidden' ? 'FORBIDDEN_BY_STORE' : 'DESTINATION_UNREACHABLE';
    this.retryable = cause.retryable;
  }
}
