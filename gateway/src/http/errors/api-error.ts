import { type FieldViolation, ServiceError } from '@audiosplit/chassis/errors';
import { errorInfoOf } from '@audiosplit/chassis/rpc/errors';
import type { Reason } from '@audiosplit/proto/errors/v1/errors';
import { ConnectError } from '@connectrpc/connect';
import { codeOf, type ErrorCode, STATUS_OF_CODE } from './error-codes.ts';

/** Because of the caller's address, as `addressBucket` names it. */
export interface AddressRefusal {
  readonly address: string;
  /** Otherwise the caller may be a good one that could not be identified in time; it costs no token. */
  readonly isWindowSpent: boolean;
}

interface ApiErrorDetails {
  readonly violations?: readonly FieldViolation[];
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Only logged, never sent. */
  readonly cause?: unknown;
  readonly addressRefusal?: AddressRefusal;
  /** Whether a summary in the log already covers this error. */
  readonly isLogged?: boolean;
}

/** An error response. Its message is sent to the caller. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: ApiErrorDetails;
  constructor(code: ErrorCode, publicMessage: string, details: ApiErrorDetails = {}) {
    const status = STATUS_OF_CODE[code];
    const { stackTraceLimit } = Error;
    // The stack of a client error is never read, and collecting it costs more than the rest of the response.
    if (status < 500) Error.stackTraceLimit = 0;
    super(publicMessage, { cause: details.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.status = status;
    this.details = details;
  }
}

export function pathNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'There is nothing at this path.');
}

export interface ErrorEnvelope {
  readonly error: {
    readonly code: ErrorCode;
    readonly message: string;
    readonly status: number;
    readonly retryAfter?: number;
    readonly details?: readonly FieldViolation[];
  };
}

export function toEnvelope(error: ApiError): ErrorEnvelope {
  const { violations, retryAfterSeconds } = error.details;
  return {
    error: {
      code: error.code,
      message: error.message,
      status: error.status,
      ...(error.code === 'RATE_LIMITED' ? { retryAfter: retryAfterSeconds ?? DEFAULT_RETRY_SECONDS } : {}),
      ...(violations === undefined || violations.length === 0 ? {} : { details: violations }),
    },
  };
}

/** The headers of an error response. */
export function errorHeaders(error: ApiError): Record<string, string> {
  const isTemporary = error.status === 503 || error.status === 429;
  const retryAfterSeconds =
    error.details.retryAfterSeconds ?? (isTemporary ? DEFAULT_RETRY_SECONDS : undefined);
  return {
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    ...error.details.headers,
  };
}

/** Default Retry-After. */
const DEFAULT_RETRY_SECONDS = 5;

/** Converts any thrown value. An error that is not known to be public becomes INTERNAL_ERROR. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof ServiceError) {
    const { reason, message: publicMessage, details } = error;
    return fromRefusal({ violations: [], acceptedScopes: [], ...details, reason, publicMessage }, error);
  }
  if (error instanceof ConnectError) return fromRefusal(errorInfoOf(error), error);
  return fromFrameworkError(error) ?? internalError(error);
}

interface Refusal {
  readonly reason: Reason;
  readonly publicMessage: string;
  readonly violations: readonly FieldViolation[];
  readonly retryAfterSeconds?: number | undefined;
  readonly acceptedScopes: readonly string[];
}

function fromRefusal(refusal: Refusal, cause: unknown): ApiError {
  const { violations, retryAfterSeconds, acceptedScopes } = refusal;
  const code = codeOf(refusal.reason);
  if (code === 'INTERNAL_ERROR') return internalError(cause);
  return new ApiError(code, refusal.publicMessage, {
    cause,
    violations: violations.map(({ field, message }) => ({ field, message })),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(acceptedScopes.length === 0 ? {} : { headers: { 'x-accepted-scopes': acceptedScopes.join(', ') } }),
  });
}

function fromFrameworkError(error: unknown): ApiError | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new ApiError(
        'PAYLOAD_TOO_LARGE',
        'The request body is larger than 256 KiB, or 1 MiB with a list of chapters, ranges or split points: room for 9,999 chapters with titles of 60 bytes.',
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new ApiError('INVALID_PARAMS', 'The body is not as long as Content-Length says.');
    case 'FST_ERR_BAD_URL':
      return new ApiError('INVALID_PARAMS', 'The path holds a malformed percent escape.');
    case 'FST_ERR_MAX_PARAM_LENGTH':
    case 'FST_STATIC_FORBIDDEN_PATH':
      return pathNotFound();
    default:
      return isRefusal(error) ? new ApiError('INVALID_PARAMS', 'The request cannot be read.') : undefined;
  }
}

/** A 4xx error of the framework that is not listed above. */
function isRefusal(error: unknown): boolean {
  const { code, statusCode } = Object(error);
  return String(code).startsWith('FST_ERR_') && statusCode >= 400 && statusCode < 500;
}

function internalError(cause: unknown): ApiError {
  return new ApiError('INTERNAL_ERROR', 'Something went wrong on our side.', { cause });
}
