/** What the client throws, and what an answer holds besides its body. */
import type { components } from './generated/schema.ts';

type Refusal = components['schemas']['Error']['error'];

/** A code of the API, or one of the client's own for what never became an answer of the API. */
export type ErrorCode = Refusal['code'] | 'CONNECTION_FAILED' | 'UNEXPECTED_ANSWER';

export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** The credential's, or the caller's address's, requests in the running window. */
export interface RateLimit {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: Date;
}

export interface ResponseInfo {
  /** 0 where there was no answer. */
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | undefined;
  readonly rateLimit: RateLimit | undefined;
  /** Whether this is the answer to an earlier request with the same Idempotency-Key. */
  readonly isReplay: boolean;
  /** Host and port that were asked. */
  readonly host: string;
}

/** The API refused, answered with something else than the API does, or could not be reached. */
export class AudiosplitError extends Error {
  override readonly name = 'AudiosplitError';
  readonly code: ErrorCode;
  /** HTTP status; 0 with `CONNECTION_FAILED`. */
  readonly status: number;
  /** With `INVALID_PARAMS`: the invalid fields and what is wrong with them. */
  readonly details: readonly FieldError[];
  /** Seconds after which the request may pass, where the API says so. */
  readonly retryAfter: number | undefined;
  readonly requestId: string | undefined;
  readonly rateLimit: RateLimit | undefined;
  readonly headers: Headers;
  /** Host and port that were asked. */
  readonly host: string;

  constructor(
    { code, message, details = [] }: Pick<Refusal, 'message' | 'details'> & { readonly code: ErrorCode },
    { status, headers, requestId, rateLimit, host }: ResponseInfo,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.code = code;
    this.status = status;
    this.details = details;
    this.retryAfter = readRetryAfter(headers);
    this.requestId = requestId;
    this.rateLimit = rateLimit;
    this.headers = headers;
    this.host = host;
  }
}

export function describeResponse(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  host: string,
): ResponseInfo {
  const [limit, remaining, reset] = ['Limit', 'Remaining', 'Reset'].map((name) =>
    readNumber(headers, `X-RateLimit-${name}`),
  );
  return {
    status,
    headers,
    requestId: headers.get('X-Request-Id') ?? undefined,
    rateLimit:
      limit === undefined || remaining === undefined || reset === undefined
        ? undefined
        : { limit, remaining, resetsAt: new Date(reset * 1000) },
    isReplay: headers.get('Idempotency-Replayed') === 'true',
    host,
  };
}

/** Reads the body of a response with a status outside of 2xx. */
export async function readRefusal(response: Response, host: string): Promise<AudiosplitError> {
  const info = describeResponse(response, host);
  const text = await response.text();
  const refusal = findRefusal(text);
  if (refusal !== undefined) return new AudiosplitError(refusal, info);
  const said = isRedirection(response)
    ? `a redirection to ${info.headers.get('Location') ?? 'elsewhere'}: the base URL is to name where the API is`
    : text.slice(0, 200) || '(no body)';
  const message = `HTTP ${response.status} without an error of the API: ${said}`;
  return new AudiosplitError({ code: 'UNEXPECTED_ANSWER', message }, info);
}

/** Browsers do not say where one leads. */
function isRedirection({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

export function connectionFailed(cause: unknown, host: string): AudiosplitError {
  const isTimeout = cause instanceof Error && cause.name === 'TimeoutError';
  const message = isTimeout ? `${host} did not answer in time` : `cannot reach ${host} (${reasonOf(cause)})`;
  return new AudiosplitError(
    { code: 'CONNECTION_FAILED', message },
    describeResponse({ status: 0, headers: new Headers() }, host),
    { cause },
  );
}

/** Node's fetch puts the system's error, such as ECONNREFUSED, below a TypeError that says "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? error.cause : error;
  return 'code' in cause ? String(cause.code) : cause.message;
}

/** Undefined for the error page of a proxy. */
function findRefusal(text: string): Refusal | undefined {
  try {
    const { error } = JSON.parse(text) as { error?: Partial<Refusal> };
    return typeof error?.code === 'string' && typeof error.message === 'string'
      ? (error as Refusal)
      : undefined;
  } catch {
    return undefined;
  }
}

/** RFC 9110, section 10.2.3: seconds, or a date. */
function readRetryAfter(headers: Headers): number | undefined {
  const seconds = readNumber(headers, 'Retry-After');
  if (seconds !== undefined) return seconds;
  const text = headers.get('Retry-After') ?? '';
  // Date.parse also finds a date in 1.5.
  const atMs = /^[A-Z][a-z]+,? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - Date.now()) / 1000));
}

function readNumber(headers: Headers, name: string): number | undefined {
  const value = headers.get(name) ?? '';
  return /^\d+$/.test(value) ? Number(value) : undefined;
}
