/**
 * Limits of fetching a source. Only time spent waiting for the source counts, never time in which its reader
 * is busy.
 */
export interface SourceLimits {
  readonly maxRedirects: number;
  /** Name resolution, TCP and TLS together, for each hop. */
  readonly connectTimeoutMs: number;
  /** From the request to the first byte of the body, all redirects included. */
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** From the first byte on, the speed is checked over every span of this length. */
  readonly speedWindowMs: number;
  readonly minBytesPerSecond: number;
  /** All transfers together. */
  readonly maxFetchMs: number;
  readonly maxResumes: number;
  /** The pause before the first resume; the second is twice as long, and so on. */
  readonly resumeDelayMs: number;
  /** The pause before a source that has never answered is requested again. */
  readonly retryDelayMs: number;
  /** Per account, name and port. */
  readonly maxConnectionsPerHost: number;
}

export const DEFAULT_SOURCE_LIMITS: SourceLimits = {
  maxRedirects: 5,
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 15_000,
  idleTimeoutMs: 15_000,
  speedWindowMs: 30_000,
  minBytesPerSecond: 1_024,
  maxFetchMs: 3_600_000,
  maxResumes: 3,
  resumeDelayMs: 500,
  retryDelayMs: 1_000,
  maxConnectionsPerHost: 8,
};

/** Some hosts refuse clients without a User-Agent. */
export const SOURCE_HEADERS: Readonly<Record<string, string>> = {
  accept: '*/*',
  'user-agent': 'audiosplit/1',
};
