/**
 * Every public error code with its HTTP status. A service's refusal is answered with the name of its reason
 * and the status in errors.proto; a new reason does not compile without its text in error-guide.ts.
 */
import { ANSWERS } from '@audiosplit/proto/answers';
import { Reason } from '@audiosplit/proto/errors/v1/errors';

/** Refusals by the gateway itself. */
const OWN_STATUSES = {
  INVALID_SIGNATURE: 403,
  DOWNLOAD_EXPIRED: 403,
  UPLOAD_EXPIRED: 403,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_TIMEOUT: 408,
  UPLOAD_TIMEOUT: 408,
  JOB_NOT_COMPLETED: 409,
  ARCHIVE_TOO_LARGE: 409,
  SEGMENTS_EXPIRED: 410,
  TUS_VERSION_UNSUPPORTED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RANGE_NOT_SATISFIABLE: 416,
  TOO_MANY_STREAMS: 429,
} as const;

/** Only services use the lease protocol; if its errors arrive here, we have a bug. */
type InternalReason = 'UNSPECIFIED' | 'LEASE_LOST' | 'NOT_CLAIMABLE';

type PublicReason = Exclude<keyof typeof Reason, InternalReason>;
export type ErrorCode = PublicReason | keyof typeof OWN_STATUSES;

const publicAnswers = [...ANSWERS].filter(([, { httpStatus }]) => httpStatus !== 0);

export const STATUS_OF_CODE = {
  ...Object.fromEntries(publicAnswers.map(([reason, { httpStatus }]) => [Reason[reason], httpStatus])),
  ...OWN_STATUSES,
} as Readonly<Record<ErrorCode, number>>;

const codeOfReason = new Map(publicAnswers.map(([reason]) => [reason, Reason[reason] as PublicReason]));

/** A newer service may send an unknown reason. */
export function codeOf(reason: Reason): ErrorCode {
  return codeOfReason.get(reason) ?? 'INTERNAL_ERROR';
}
