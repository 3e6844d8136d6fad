/**
 * Errors on the wire: a ServiceError becomes a Connect error with an ErrorInfo detail, and the caller reads
 * it back with `errorInfoOf`. Anything else that a handler throws is logged whole and answered with nothing
 * but `internal`.
 */

import { type ErrorInfo, ErrorInfoSchema, Reason } from '@audiosplit/proto/errors/v1/errors';
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { ServiceError } from '../errors.ts';
import { REPLAYED_HEADER } from '../idempotency/idempotency-key.ts';

/** Complete by its type: a new Reason does not compile without a row. */
const CODE_OF_REASON: Record<Reason, Code> = {
  [Reason.UNSPECIFIED]: Code.Internal,
  [Reason.INVALID_PARAMS]: Code.InvalidArgument,
  [Reason.UNAUTHORIZED]: Code.Unauthenticated,
  [Reason.INSUFFICIENT_SCOPE]: Code.PermissionDenied,
  [Reason.NOT_FOUND]: Code.NotFound,
  [Reason.JOB_NOT_FOUND]: Code.NotFound,
  [Reason.JOB_ALREADY_PROCESSING]: Code.FailedPrecondition,
  [Reason.JOB_ALREADY_FINISHED]: Code.FailedPrecondition,
  [Reason.FILE_TOO_LARGE]: Code.FailedPrecondition,
  [Reason.QUOTA_EXCEEDED]: Code.ResourceExhausted,
  [Reason.QUEUE_FULL]: Code.ResourceExhausted,
  [Reason.RATE_LIMITED]: Code.ResourceExhausted,
  [Reason.EMAIL_TAKEN]: Code.AlreadyExists,
  [Reason.KEY_LIMIT_REACHED]: Code.FailedPrecondition,
  [Reason.ACTIVE_SUBSCRIPTION]: Code.FailedPrecondition,
  [Reason.ALREADY_SUBSCRIBED]: Code.FailedPrecondition,
  [Reason.NO_ACTIVE_SUBSCRIPTION]: Code.FailedPrecondition,
  [Reason.PLAN_UNCHANGED]: Code.FailedPrecondition,
  [Reason.PAYMENT_METHOD_REQUIRED]: Code.FailedPrecondition,
  [Reason.PAYMENT_FAILED]: Code.FailedPrecondition,
  [Reason.PRICE_CHANGED]: Code.FailedPrecondition,
  [Reason.EXPORT_TOO_FREQUENT]: Code.ResourceExhausted,
  [Reason.ACCOUNT_PENDING_DELETION]: Code.PermissionDenied,
  [Reason.IDEMPOTENCY_KEY_REUSED]: Code.FailedPrecondition,
  [Reason.IDEMPOTENCY_IN_PROGRESS]: Code.Aborted,
  [Reason.SERVICE_UNAVAILABLE]: Code.Unavailable,
  [Reason.NOT_IMPLEMENTED]: Code.Unimplemented,
  [Reason.LEASE_LOST]: Code.Aborted,
  [Reason.NOT_CLAIMABLE]: Code.FailedPrecondition,
  [Reason.INTERNAL_ERROR]: Code.Internal,
};

export function toConnectError(error: ServiceError): ConnectError {
  const { violations, retryAfterSeconds, acceptedScopes, endedByOwner, isReplayed, cause } = error.details;
  const info = create(ErrorInfoSchema, {
    reason: error.reason,
    publicMessage: error.message,
    violations: violations?.map(({ field, message }) => ({ field, message })) ?? [],
    acceptedScopes: [...(acceptedScopes ?? [])],
    endedByOwner: endedByOwner ?? false,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  });
  return new ConnectError(
    error.message,
    CODE_OF_REASON[error.reason],
    isReplayed === true ? { [REPLAYED_HEADER]: 'true' } : undefined,
    [{ desc: ErrorInfoSchema, value: info }],
    cause,
  );
}

/** What a failed call says about itself; plain Connect codes are translated where they have a clear meaning. */
export function errorInfoOf(error: unknown): ErrorInfo {
  const connectError = ConnectError.from(error);
  const info = connectError.findDetails(ErrorInfoSchema)[0];
  if (info !== undefined) return info;
  switch (connectError.code) {
    case Code.Unimplemented:
      return create(ErrorInfoSchema, {
        reason: Reason.NOT_IMPLEMENTED,
        publicMessage: 'This is not available yet.',
      });
    // Our own identity, made by a clock that is wrong here or there: never the caller's fault, and it passes.
    case Code.Unauthenticated:
    case Code.Unavailable:
    case Code.DeadlineExceeded:
    case Code.ResourceExhausted:
      return create(ErrorInfoSchema, {
        reason: Reason.SERVICE_UNAVAILABLE,
        publicMessage: 'The service is not available at the moment; try again shortly.',
        retryAfterSeconds: 5,
      });
    default:
      return create(ErrorInfoSchema, {
        reason: Reason.INTERNAL_ERROR,
        publicMessage: 'Something went wrong on our side.',
      });
  }
}

export function hasReason(error: unknown, reason: Reason): boolean {
  return errorInfoOf(error).reason === reason;
}
