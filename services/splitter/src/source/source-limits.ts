/** What a source may take. Only time in which it is waited for counts, never time in which its reader is busy. */
export interface SourceLimits {
  readonly maxRedirects: number;
  /** Name, TCP and TLS together, for each hop. */
  readonly connectTimeoutMs: number;
  /** From the request to the first byte of the body, all redirects together. */
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** From the first byte on, every span of this length is judged. */
  readonly speedWindowMs: number;
  readonly minBytesPerSecond: number;
  /** All transfers together. */
  readonly maxFetchMs: number;
  readonly maxResumes: number;
  /** Before the first resume; the second waits twice as long, and so on. */
  readonly resumeDelayMs: number;
  /** Before a source that has never answered is asked a second time. */
  readonly retryDelayMs: number;
  /** Of one account, to one name and port. */
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

/** Some hosts turn away clients that do not say who they are. */
export const SOURCE_HEADERS: Readonly<Record<string, string>> = {
  accept: '*/*',
  'user-agent': 'audiosplit/1',
};
