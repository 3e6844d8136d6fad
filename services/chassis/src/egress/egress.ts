import type { Readable } from 'node:stream';

/**
 * The only way out of the cluster: HTTP requests to addresses that callers name.
 *
 * For every hop the host is resolved and every resolved address is classified. The connection goes to a
 * checked address with the original SNI and Host; the name is not resolved again, so a second DNS answer
 * cannot differ. Each redirect starts over. IP literals in every notation pass the same check.
 */
export interface GuardedEgress extends AsyncDisposable {
  /**
   * Throws EgressError. The caller consumes or destroys `body`; a body that ends early also fails with an
   * EgressError. Sends `accept-encoding: identity` and decodes nothing. The request sets `host` and the
   * framing headers itself. Redirects are followed for GET and HEAD only, also from https to http;
   * credentials are sent to the first hop only.
   */
  request(url: string, options: EgressRequest): Promise<EgressResponse>;
  /** Resolves the URL's host and checks every address, without connecting. Throws EgressError. */
  check(url: string, options?: EgressCheck): Promise<void>;
}

export type EgressCheck = Pick<EgressRequest, 'accountId' | 'signal'>;

export interface EgressRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Sent in addition to `headers`, and take precedence over them. Not sent again once a redirect leaves the
   * URL's origin.
   */
  readonly originHeaders?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** 0: a redirect response is returned to the caller. */
  readonly maxRedirects: number;
  /** Name resolution, TCP and TLS together, for each hop. */
  readonly connectTimeoutMs: number;
  /** Until the response's headers have arrived, all redirects included. */
  readonly headersTimeoutMs: number;
  /** Between two chunks of the body, while the reader waits for data. */
  readonly idleTimeoutMs: number;
  /** From the start to the last byte; absent: only the other bounds apply. */
  readonly totalTimeoutMs?: number;
  /**
   * Maximum bytes of body. EgressError `too-large` ends the stream beyond it, or at the first read if
   * Content-Length exceeds it.
   */
  readonly maxBodyBytes: number;
  /**
   * Called before each hop connects. The hop waits for it, and the timeouts do not run meanwhile. Its result
   * is disposed of when the hop's connection has closed. The signal aborts when the request is given up.
   */
  readonly enterHost?: EnterHost;
  /**
   * The account on whose behalf the request is made: the number of its concurrent name look-ups is bounded.
   * Absent: unbounded.
   */
  readonly accountId?: string | undefined;
  readonly signal?: AbortSignal;
}

/** `host` is name and port, as `example.com:443`. */
export type EnterHost = (host: string, signal: AbortSignal) => Promise<Disposable>;

export interface EgressResponse {
  readonly status: number;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The final URL, after redirects. */
  readonly url: string;
  readonly body: Readable;
}

export type EgressFailure =
  /** Not http(s), unparsable, with credentials in the URL, or with a blocked port. */
  | 'invalid-url'
  /** The policy does not allow the address. */
  | 'forbidden-address'
  | 'name-not-resolved'
  | 'connect-failed'
  | 'tls-failed'
  | 'timeout'
  | 'too-many-redirects'
  | 'too-large'
  | 'connection-lost'
  | 'aborted';

export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly failure: EgressFailure;
  constructor(failure: EgressFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

export interface EgressPolicy {
  /** Address blocks that may be reached in addition to public unicast addresses. */
  readonly allowCidrs: readonly string[];
  /**
   * Origins (`http://127.0.0.1:8080`) plus path prefixes that may be reached whatever their address, such as
   * the embedded run's own samples.
   */
  readonly allowUrlPrefixes: readonly string[];
  /**
   * Where http without TLS is allowed: `anywhere` that https is (the default), or only inside `allowCidrs`.
   */
  readonly plainHttp?: 'anywhere' | 'allowed-cidrs-only';
}
