/** The API refused, or a job failed; code and message are the API's own. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly code: string;
  /** Undefined for a job that failed. */
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Of the violations that came with INVALID_PARAMS. */
  readonly fields: readonly string[];
  constructor(
    code: string,
    message: string,
    details: { status?: number; retryAfterSeconds?: number; fields?: readonly string[] } = {},
  ) {
    super(message);
    this.code = code;
    this.status = details.status;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.fields = details.fields ?? [];
  }
}

/** No whole answer came back. */
export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure';
}

/** The failure that an answer with an error status tells of; answers of proxies need not have our envelope. */
export async function readFailure(response: Response): Promise<ApiFailure> {
  const body: unknown = await response.json().catch(() => undefined);
  const { code, message, details } = Object(Object(body).error) as Record<string, unknown>;
  const retryAfterSeconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiFailure(
    typeof code === 'string' ? code : `HTTP_${response.status}`,
    typeof message === 'string' ? message : `${new URL(response.url).host} answered ${response.statusText}`,
    {
      status: response.status,
      ...(Number.isFinite(retryAfterSeconds) ? { retryAfterSeconds } : {}),
      fields: Array.isArray(details) ? details.map((detail) => String(Object(detail).field)) : [],
    },
  );
}

/** Turns what `fetch` throws into a ConnectionFailure that says why; an abort by `signal` stays as it is. */
export function toConnectionFailure(error: unknown, url: string, signal: AbortSignal): unknown {
  if (signal.aborted || error instanceof ApiFailure || error instanceof ConnectionFailure) return error;
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const reason =
    cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : String(cause);
  return new ConnectionFailure(`cannot reach ${new URL(url).host} (${reason})`, { cause: error });
}
