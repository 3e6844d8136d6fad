import { Reason } from '@audiosplit/proto/errors/v1/errors';

export interface FieldViolation {
  /** Public (camelCase) name of the field. */
  readonly field: string;
  readonly message: string;
}

interface ServiceErrorDetails {
  readonly violations?: readonly FieldViolation[];
  /** Seconds after which a retry may succeed. */
  readonly retryAfterSeconds?: number;
  readonly acceptedScopes?: readonly string[];
  /** With LEASE_LOST. */
  readonly endedByOwner?: boolean;
  /** The response is that of an earlier call with the same idempotency key. */
  readonly isReplayed?: boolean;
  /** For the log only. */
  readonly cause?: unknown;
}

/**
 * Thrown by a domain to refuse a call. The message is public and says what the caller should change. Details
 * for operators only go into `cause`.
 */
export class ServiceError extends Error {
  override readonly name: string = 'ServiceError';
  readonly reason: Reason;
  readonly details: ServiceErrorDetails;
  constructor(reason: Reason, publicMessage: string, details: ServiceErrorDetails = {}) {
    super(publicMessage, { cause: details.cause });
    this.reason = reason;
    this.details = details;
  }
}

export class InvalidParamsError extends ServiceError {
  override readonly name = 'InvalidParamsError';
  constructor(field: string, message: string) {
    super(Reason.INVALID_PARAMS, `${field}: ${message}`, { violations: [{ field, message }] });
  }
}

export class NotFoundError extends ServiceError {
  override readonly name = 'NotFoundError';
  constructor(what: string) {
    super(Reason.NOT_FOUND, `${what} does not exist.`);
  }
}

export class UnavailableError extends ServiceError {
  override readonly name = 'UnavailableError';
  constructor(cause: unknown, retryAfterSeconds = 5) {
    super(Reason.SERVICE_UNAVAILABLE, 'The service is not available at the moment; try again shortly.', {
      cause,
      retryAfterSeconds,
    });
  }
}

/** Whether the error has this `code`, as Node's errors do: `ENOENT`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
