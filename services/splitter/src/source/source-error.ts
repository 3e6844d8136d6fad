import type { EgressError } from '@audiosplit/chassis/egress/egress';
import { formatBytes } from '@audiosplit/chassis/format-bytes';

/** The job error codes of the public API for failed fetches. */
export type SourceFailure =
  | 'SOURCE_UNREACHABLE'
  | 'SOURCE_TIMEOUT'
  | 'SOURCE_FORBIDDEN'
  | 'FORBIDDEN_BY_STORE'
  | 'FILE_TOO_LARGE';

/** The source cannot be fetched. `message` is shown to the API's caller; `cause` is for the log. */
export class SourceError extends Error {
  override readonly name = 'SourceError';
  readonly failure: SourceFailure;
  /** A later attempt from the first byte may succeed. */
  readonly retryable: boolean;
  constructor(failure: SourceFailure, message: string, retryable: boolean, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
    this.retryable = retryable;
  }
}

/** Converts every failure except `aborted` by the caller's own signal, whose reason the caller expects. */
export function toSourceError(error: EgressError): SourceError {
  const cause = { cause: error };
  const message = `The source cannot be fetched: ${error.message}`;
  const { failure } = error;
  switch (failure) {
    case 'invalid-url':
    case 'forbidden-address':
      return new SourceError('SOURCE_FORBIDDEN', message, false, cause);
    case 'timeout':
      // Not retryable: a job's time for its source is limited, and openSource has retried where that may
      // help.
      return new SourceError('SOURCE_TIMEOUT', message, false, cause);
    case 'too-large':
      return new SourceError('FILE_TOO_LARGE', message, false, cause);
    case 'too-many-redirects':
      return new SourceError('SOURCE_UNREACHABLE', message, false, cause);
    case 'name-not-resolved':
    case 'connect-failed':
    case 'tls-failed':
    case 'connection-lost':
    case 'aborted':
      return new SourceError('SOURCE_UNREACHABLE', message, true, cause);
    default:
      return failure satisfies never;
  }
}

/** `hostWithoutHeaders`: the host that answered without having received the job's source headers. */
export function statusError(status: number, hostWithoutHeaders?: string): SourceError {
  const retryable = status === 429 || status >= 500;
  const message =
    hostWithoutHeaders === undefined
      ? `The source answered with status ${status}.`
      : `The source redirected to ${hostWithoutHeaders}, which gets no sourceHeaders and answered with status ${status}.`;
  return new SourceError('SOURCE_UNREACHABLE', message, retryable);
}

export function tooLargeError(maxBytes: number): SourceError {
  return new SourceError(
    'FILE_TOO_LARGE',
    `The source is larger than the ${formatBytes(maxBytes)} that your plan allows.`,
    false,
  );
}
