/** What a source may take. */
export interface SourceLimits {
  readonly maxRedirects: number;
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  readonly idleTimeoutMs: number;
  /** The speed is judged each time this much time was spent waiting for the source. */
  readonly speedWindowMs: number;
  readonly minBytesPerSecond: number;
  readonly maxResumes: number;
  /** Before the first resume; the second waits twice as long, and so on. */
  readonly resumeDelayMs: number;
}

export const DEFAULT_SOURCE_LIMITS: SourceLimits = {
  maxRedirects: 5,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 30_000,
  idleTimeoutMs: 30_000,
  speedWindowMs: 30_000,
  minBytesPerSecond: 1_024,
  maxResumes: 3,
  resumeDelayMs: 500,
};

/** Some hosts turn away clients that do not say who they are. */
export const SOURCE_HEADERS: Readonly<Record<string, string>> = {
  accept: '*/*',
  'user-agent': 'audiosplit/1',
};
