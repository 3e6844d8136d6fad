import type { Readable } from 'node:stream';

/**
 * The only way out of the cluster: HTTP to addresses that callers name.
 *
 * Every hop is resolved, every resolved address is classified, the connection is dialled to a checked
 * address (never to the name again, so a second DNS answer cannot differ) with the original SNI and Host,
 * and each redirect starts over. IP literals in every notation go through the same check.
 */
export interface GuardedEgress extends AsyncDisposable {
  /**
   * Throws EgressError. The caller consumes or destroys `body`; what ends it early is an EgressError too.
   * Sends `accept-encoding: identity` and decodes nothing; `host` and the framing headers are its own.
   * Redirects are followed for GET and HEAD only, from https to http too; credentials stay on the first hop.
   */
  request(url: string, options: EgressRequest): Promise<EgressResponse>;
  /** Resolves the URL's host and checks every address, without connecting. Throws EgressError. */
  check(url: string, options?: EgressCheck): Promise<void>;
}

export type EgressCheck = Pick<EgressRequest, 'accountId' | 'signal'>;

export interface EgressRequest {
  readonly method: 'GET' | 'HEAD' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  /** Beside `headers`, and before them where both have a name. Not sent again once a redirect leaves the URL's origin. */
  readonly originHeaders?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  /** 0: a redirect is returned as it is. */
  readonly maxRedirects: number;
  /** Name, TCP and TLS together, for each hop. */
  readonly connectTimeoutMs: number;
  /** Until the response's headers are there, all redirects together. */
  readonly headersTimeoutMs: number;
  /** Between two chunks of the body, while more is being read. */
  readonly idleTimeoutMs: number;
  /** From the start to the last byte; absent: no bound beyond the others. */
  readonly totalTimeoutMs?: number;
  /** Bytes of body after which EgressError `too-large` ends the stream; at its first read where Content-Length says so. */
  readonly maxBodyBytes: number;
  /**
   * Asked before each hop is dialled; the hop waits for it, and no time counts meanwhile. What it resolves with is
   * disposed of when the hop's connection has closed. The signal aborts when the request is given up.
   */
  readonly enterHost?: EnterHost;
  /** In whose name it is made: an account has a bound on names that are asked for at once. Absent: there is none. */
  readonly accountId?: string | undefined;
  readonly signal?: AbortSignal;
}

/** `host` is name and port, as `example.com:443`. */
export type EnterHost = (host: string, signal: AbortSignal) => Promise<Disposable>;

export interface EgressResponse {
  readonly status: number;
  /** Lower-case names; repeated headers joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The URL that answered, after redirects. */
  readonly url: string;
  readonly body: Readable;
}

export type EgressFailure =
  /** Not http(s), credentials in the URL, an unparsable one, a port that is blocked. */
  | 'invalid-url'
  /** An address outside what may be reached. */
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
  /** Addresses that may be reached beside public unicast ones. */
  readonly allowCidrs: readonly string[];
  /** Origins (`http://127.0.0.1:8080`) plus path prefixes that may be reached whatever their address: the embedded run's own samples. */
  readonly allowUrlPrefixes: readonly string[];
  /** Where http without TLS may go: `anywhere` (the default) that https may, or only into `allowCidrs`. */
  readonly plainHttp?: 'anywhere' | 'allowed-cidrs-only';
}
