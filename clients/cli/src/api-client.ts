import type { CompletedJob, Job, QueuedJob } from '@audiosplit/gateway/schemas/splits';
import type { Server, SplitSettings } from './arguments.ts';
import { readFailure, toConnectionFailure } from './failures.ts';
import { withRetries } from './retry.ts';

export interface UploadLinks {
  readonly uploadUrl: string;
  readonly sourceUrl: string;
}

/** What the last answer's X-RateLimit headers said. */
export interface RateLimitState {
  readonly remaining: number;
  readonly resetAtMs: number;
}

/** The calls of the API that a split takes. They throw ApiFailure, ConnectionFailure, or the abort's reason. */
export interface ApiClient {
  createUpload(fileName: string): Promise<UploadLinks>;
  createJob(settings: SplitSettings & { readonly sourceUrl: string }): Promise<QueuedJob>;
  readJob(id: string): Promise<Job>;
  cancelJob(id: string): Promise<void>;
  /** Undefined before the first answer, and where a server sends no such headers. */
  rateLimit(): RateLimitState | undefined;
}

export type { CompletedJob, Job };

export interface ApiClientOptions {
  readonly server: Server;
  readonly signal: AbortSignal;
  readonly onWait: (reason: string) => void;
}

const CALL_TIMEOUT_MS = 30_000;
/** Whoever interrupts does not want to wait. */
const CANCEL_TIMEOUT_MS = 3_000;
const NEVER = new AbortController().signal;

export function createApiClient({ server, signal, onWait }: ApiClientOptions): ApiClient {
  let rateLimit: RateLimitState | undefined;

  async function call(
    method: 'GET' | 'POST',
    path: string,
    options: { readonly body?: unknown; readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<unknown> {
    const url = `${server.baseUrl}/api/v1${path}`;
    const { body, timeoutMs = CALL_TIMEOUT_MS } = options;
    try {
      const response = await fetch(url, {
        method,
        headers: {
          'x-api-key': server.apiKey,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.any([options.signal, AbortSignal.timeout(timeoutMs)]),
      });
      rateLimit = readRateLimit(response.headers) ?? rateLimit;
      if (!response.ok) throw await readFailure(response);
      return await response.json().catch((cause) => {
        throw new Error(`${url} does not answer like audiosplit: is --server right?`, { cause });
      });
    } catch (error) {
      throw toConnectionFailure(error, url);
    }
  }

  return {
    // The first word to the server is not repeated: where its address is wrong, that shows at once.
    createUpload: async (fileName) =>
      (await withRetries({ isRepeatable: false, signal, onWait }, () =>
        call('POST', '/uploads', { body: { fileName }, signal }),
      )) as UploadLinks,
    // Not interrupted on its way: a job that nobody knows the id of could not be canceled.
    createJob: async (settings) =>
      (await withRetries({ isRepeatable: false, signal, onWait }, () =>
        call('POST', '/splits', { body: settings, signal: NEVER }),
      )) as QueuedJob,
    readJob: async (id) =>
      (await withRetries({ isRepeatable: true, signal, onWait }, () =>
        call('GET', `/splits/${encodeURIComponent(id)}`, { signal }),
      )) as Job,
    cancelJob: async (id) => {
      const path = `/splits/${encodeURIComponent(id)}/cancel`;
      await call('POST', path, { signal: NEVER, timeoutMs: CANCEL_TIMEOUT_MS });
    },
    rateLimit: () => rateLimit,
  };
}

function readRateLimit(headers: Headers): RateLimitState | undefined {
  const remaining = headers.get('x-ratelimit-remaining');
  const reset = headers.get('x-ratelimit-reset');
  if (remaining === null || reset === null) return undefined;
  const state = { remaining: Number(remaining), resetAtMs: Number(reset) * 1000 };
  return Number.isFinite(state.remaining) && Number.isFinite(state.resetAtMs) ? state : undefined;
}
