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

/**
 * Turns what `fetch` throws for a broken connection (a TypeError whose cause has the system's code) and for
 * one that is too slow into a ConnectionFailure. Anything else stays as it is.
 */
export function toConnectionFailure(error: unknown, url: string): unknown {
  if (!(error instanceof Error)) return error;
  const { host } = new URL(url);
  if (error.name === 'TimeoutError') return new ConnectionFailure(`${host} did not answer in time`);
  if (!(error instanceof TypeError)) return error;
  const cause = error.cause instanceof Error ? error.cause : error;
  const reason = 'code' in cause ? String(cause.code) : cause.message;
  return new ConnectionFailure(`cannot reach ${host} (${reason})`, { cause: error });
}
