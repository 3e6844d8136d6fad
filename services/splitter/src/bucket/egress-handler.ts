/**
 * Sends the requests of an S3 client through the guarded egress: each over a connection of its own, to a
 * checked address.
 */
import { EgressError, type EnterHost, type GuardedEgress } from '@audiosplit/chassis/egress/egress';

/** The client's signed request. */
interface SignedRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface EgressTerms {
  readonly egress: GuardedEgress;
  readonly accountId: string;
  /** Called before each connection; absent: unbounded. */
  readonly enterHost?: EnterHost | undefined;
  readonly signal: AbortSignal;
}

const CONNECT_TIMEOUT_MS = 5_000;
/** Counts from the request's first byte, so a part of 8 MiB must be sent at 140 kB/s or faster. */
const ANSWER_TIMEOUT_MS = 60_000;
const IDLE_TIMEOUT_MS = 15_000;
/** Twice the size of a page of a list. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';

export function createEgressHandler({ egress, accountId, enterHost, signal }: EgressTerms) {
  return {
    async handle(request: SignedRequest, { abortSignal }: { readonly abortSignal?: AbortSignal } = {}) {
      const body = bytesOf(request.body);
      try {
        const {
          status,
          headers,
          body: answer,
        } = await egress.request(urlOf(request), {
          method: request.method as Method,
          headers: request.headers,
          ...(body === undefined ? {} : { body }),
          // The signature is not valid at the target of a redirect.
          maxRedirects: 0,
          connectTimeoutMs: CONNECT_TIMEOUT_MS,
          headersTimeoutMs: ANSWER_TIMEOUT_MS,
          idleTimeoutMs: IDLE_TIMEOUT_MS,
          maxBodyBytes: MAX_ANSWER_BYTES,
          ...(enterHost === undefined ? {} : { enterHost }),
          accountId,
          signal: abortSignal === undefined ? signal : AbortSignal.any([signal, abortSignal]),
        });
        return { response: { statusCode: status, headers, body: answer } };
      } catch (error) {
        throw isPassing(error) ? Object.assign(error, { $retryable: {} }) : error;
      }
    },
  };
}

/** Errors after which the client retries. */
function isPassing(error: unknown): error is EgressError {
  return (
    error instanceof EgressError &&
    ['connection-lost', 'connect-failed', 'timeout', 'name-not-resolved'].includes(error.failure)
  );
}

function urlOf({ protocol, hostname, port, path, query = {} }: SignedRequest): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value ?? ''].flat().map((each) => `${encode(name)}=${encode(each)}`),
  );
  const search = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${search}`;
}

/** Encoded by RFC 3986, as in the signature. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return Buffer.from(body);
  if (body instanceof Uint8Array) return body;
  throw new TypeError('a body of a request to a bucket is made of bytes in memory');
}
