/** Sends requests, repeats those that may be, and turns refusals into errors. */
import {
  AudiosplitError,
  connectionFailed,
  describeResponse,
  type ResponseInfo,
  readRefusal,
} from './error.ts';
import { createRetries, type Retries, type Retry, type RetryPolicy, withDefaults } from './retry.ts';

/** A credential as it stands, or how to get the one of the moment. */
export type Secret = string | (() => string | Promise<string>);
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface CallOptions {
  /** Ends the call, its pauses and its repetitions; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Of a POST. By default a new one, which all repetitions of the call share. */
  readonly idempotencyKey?: string;
  /** Called for every answer, those that are followed by another try included. */
  readonly onResponse?: (response: ResponseInfo) => void;
  /** Called before the pause that comes before each repetition. */
  readonly onRetry?: (retry: Retry) => void;
  /** Of this call, over those of the client. */
  readonly retries?: Partial<RetryPolicy>;
  /**
   * True: the signal ends pauses and repetitions only. A request that was sent is waited for, so that its outcome is
   * known.
   */
  readonly finishRequest?: boolean;
}

export interface Call {
  readonly method: string;
  /** Below the base URL, or a URL that needs no credential. */
  readonly path: string;
  /** Those that will do, the preferred first. */
  readonly credentials: readonly ('apiKey' | 'accessToken')[];
  readonly query?: object | undefined;
  /** Sent as JSON. */
  readonly body?: object | undefined;
}

/** What only some calls need; those that are made of a description do not. */
interface RawCall extends Call {
  readonly headers?: Readonly<Record<string, string>>;
  /** Called for each try. */
  readonly rawBody?: () => NonNullable<RequestInit['body']>;
  /** An answer that is read as it comes has no bound in time. */
  readonly isStream?: boolean;
}

/** Resolves to the answer's JSON; undefined without a body. Throws AudiosplitError. */
export type Send = <T>(call: Call, options?: CallOptions) => Promise<T>;

export interface Transport {
  readonly send: Send;
  /** Resolves to an answer of 2xx, its body unread. Throws AudiosplitError. */
  fetch(call: RawCall, options?: CallOptions): Promise<Response>;
  /** How often and when a call may be repeated. */
  retriesOf(method: string, options: CallOptions): Retries;
  hostOf(path: string): string;
}

interface TransportOptions {
  readonly baseUrl: string;
  readonly apiKey: Secret | undefined;
  readonly accessToken: Secret | undefined;
  readonly fetch: Fetch;
  readonly retries: Partial<RetryPolicy>;
  readonly onRetry: ((retry: Retry) => void) | undefined;
  readonly timeoutMs: number;
  readonly parseJson: (text: string) => unknown;
}

const NO_CONTENT = 204;

export function createTransport(given: TransportOptions): Transport {
  const { baseUrl, fetch, timeoutMs, parseJson } = given;

  async function credentialOf({ credentials }: Call): Promise<Record<string, string>> {
    const kind = credentials.find((each) => given[each] !== undefined);
    const secret = kind === undefined ? undefined : given[kind];
    if (secret === undefined) return {};
    const value = typeof secret === 'string' ? secret : await secret();
    return kind === 'apiKey' ? { 'X-API-Key': value } : { Authorization: `Bearer ${value}` };
  }

  async function attempt<T>(
    call: RawCall,
    headers: Record<string, string>,
    { signal, onResponse, finishRequest = false }: CallOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { method, isStream = false, rawBody, body } = call;
    const signals = [
      ...(signal === undefined || finishRequest ? [] : [signal]),
      ...(isStream ? [] : [AbortSignal.timeout(timeoutMs)]),
    ];
    const init = {
      method,
      headers: { ...headers, ...(await credentialOf(call)) },
      // API calls do not follow redirects, because fetch would send the API key to the target. Links carry no key.
      redirect: isOfApi(call) ? ('manual' as const) : ('follow' as const),
      signal: signals.length === 1 && signals[0] !== undefined ? signals[0] : AbortSignal.any(signals),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      // Fetch requires `duplex` for a body that is a stream.
      ...(rawBody === undefined ? {} : { body: rawBody(), duplex: 'half' as const }),
    };
    const orFail = async <R>(step: Promise<R>): Promise<R> => {
      try {
        return await step;
      } catch (error) {
        if (error instanceof AudiosplitError) throw error;
        if (!finishRequest) signal?.throwIfAborted();
        throw connectionFailed(error, host);
      }
    };
    const host = hostOf(call.path);
    const response = await orFail(fetch(addressOf(baseUrl, call), init));
    onResponse?.(describeResponse(response, host));
    if (!response.ok) throw await orFail(readRefusal(response, host));
    return await orFail(read(response));
  }

  async function request<T>(
    call: RawCall,
    options: CallOptions,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const { method, body } = call;
    const headers = {
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(method === 'POST' ? { 'Idempotency-Key': options.idempotencyKey ?? newIdempotencyKey() } : {}),
      ...call.headers,
    };
    const retries = retriesOf(method, options);
    for (;;) {
      options.signal?.throwIfAborted();
      try {
        return await attempt(call, headers, options, read);
      } catch (error) {
        await retries.after(error);
      }
    }
  }

  function retriesOf(method: string, options: CallOptions): Retries {
    const { signal, onRetry = given.onRetry, retries } = options;
    return createRetries({ method, policy: withDefaults(policyOf(given.retries, retries)), signal, onRetry });
  }

  const hostOf = (path: string) => new URL(path.startsWith('/') ? baseUrl : path).host;

  return {
    retriesOf,
    hostOf,
    send: <T>(call: Call, options: CallOptions = {}) =>
      request(call, options, async (response) => {
        const text = await response.text();
        return readJson(text, describeResponse(response, hostOf(call.path)), parseJson) as T;
      }),
    fetch: (call, options = {}) =>
      request({ isStream: true, ...call }, options, async (response) => response),
  };
}

function readJson(text: string, response: ResponseInfo, parseJson: (text: string) => unknown): unknown {
  if (response.status === NO_CONTENT) return undefined;
  try {
    return parseJson(text);
  } catch (cause) {
    const message = `HTTP ${response.status} with a body that is not JSON: ${text.slice(0, 200)}`;
    throw new AudiosplitError({ code: 'UNEXPECTED_ANSWER', message }, response, { cause });
  }
}

function isOfApi({ path }: Call): boolean {
  return path.startsWith('/');
}

function addressOf(baseUrl: string, call: Call): string {
  const { path, query } = call;
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  const search =
    given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
  return `${isOfApi(call) ? baseUrl : ''}${path}${search}`;
}

/** Unlike crypto.randomUUID also there for pages without TLS. */
function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Throws TypeError for what would name another resource. */
export function pathSegment(value: string): string {
  if (value === '' || value === '.' || value === '..') throw new TypeError(`"${value}" is not an id`);
  return encodeURIComponent(value);
}

/** A call that limits its retries limits those after 429, too, unless it names them apart. */
function policyOf(
  ofClient: Partial<RetryPolicy>,
  { maxRateLimitRetries, ...ofCall }: Partial<RetryPolicy> = {},
): Partial<RetryPolicy> {
  const most = maxRateLimitRetries ?? ofCall.maxRetries;
  return { ...ofClient, ...ofCall, ...(most === undefined ? {} : { maxRateLimitRetries: most }) };
}
