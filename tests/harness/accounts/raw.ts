/** Sends a raw request, for requests that the client would not send and responses that it does not expose. */
import type { AudiosplitOptions } from '@audiosplit/client';

export interface Credential {
  readonly apiKey?: string;
  readonly accessToken?: string;
}

export interface RawInit extends Credential {
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** For requests from a particular address. */
  readonly fetch?: NonNullable<AudiosplitOptions['fetch']>;
  /** Called with each response before it is read. */
  readonly check?: (method: string, url: URL, response: Response) => Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read the fields they know
export interface Answer<T = any> {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON, else the text; undefined without a body. */
  readonly body: T;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read the fields they know
export interface TimedAnswer<T = any> extends Answer<T> {
  readonly ms: number;
}

/** `METHOD /path`, or `METHOD` and a whole URL. */
export type Target = `${string} ${string}`;

/** Returns the response itself, for streams. */
export async function send(baseUrl: string, target: Target, init: RawInit = {}): Promise<Response> {
  const space = target.indexOf(' ');
  const [method, path] = [target.slice(0, space), target.slice(space + 1)];
  const { apiKey, accessToken, headers, body, signal, fetch: sendRequest = fetch } = init;
  const url = new URL(path, baseUrl);
  const response = await sendRequest(url.href, {
    method,
    headers: {
      ...(apiKey === undefined ? {} : { 'x-api-key': apiKey }),
      ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  await init.check?.(method, url, response);
  return response;
}

// biome-ignore lint/suspicious/noExplicitAny: tests read the fields they know
export async function raw<T = any>(baseUrl: string, target: Target, init?: RawInit): Promise<TimedAnswer<T>> {
  const startedMs = performance.now();
  const response = await send(baseUrl, target, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  const body = text === '' ? undefined : isJson ? JSON.parse(text) : text;
  return {
    status: response.status,
    headers: response.headers,
    body,
    ms: performance.now() - startedMs,
  };
}
