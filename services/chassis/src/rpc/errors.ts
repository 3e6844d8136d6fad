/**
 * Errors on the wire: a ServiceError becomes a Connect error with an ErrorInfo detail, which the caller reads
 * with `errorInfoOf`. Any other error of a handler is logged in full and answered with a bare `internal`.
 */

import { ANSWERS } from '@audiosplit/proto/answers';
import { type ErrorInfo, ErrorInfoSchema, Reason, RpcCode } from '@audiosplit/proto/errors/v1/errors';
import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import type { ServiceError } from '../errors.ts';
import { REPLAYED_HEADER } from '../idempotency/idempotency-key.ts';

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
    rpcCodeOf(error.reason),
    isReplayed === true ? { [REPLAYED_HEADER]: 'true' } : undefined,
    [{ desc: ErrorInfoSchema, value: info }],
    cause,
  );
}

/** RpcCode has the numbers of Connect's codes. */
function rpcCodeOf(reason: Reason): Code {
  const { rpcCode = RpcCode.UNSPECIFIED } = ANSWERS.get(reason) ?? {};
  return rpcCode === RpcCode.UNSPECIFIED ? Code.Internal : Number(rpcCode);
}

/**
 * The information about a failed call; plain Connect codes are translated where they have a clear meaning.
 */
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
    // Our own token was rejected because a clock is wrong on one side. It is never the client's fault, and it
    // is temporary.
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
