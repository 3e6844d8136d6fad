import { EgressError, type EgressResponse, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import type { SourceHeaders } from '@audiosplit/proto/source-headers';
import { parseContentLength, parseContentRange } from './byte-range.ts';
import { addressOf } from './source-address.ts';
import { toSourceError } from './source-error.ts';
import { DEFAULT_SOURCE_LIMITS, SOURCE_HEADERS } from './source-limits.ts';

interface SourceInspection {
  /** Absent: the source does not report it, or not in time. */
  readonly sizeBytes?: number;
}

/**
 * Requests a source's size without fetching it: HEAD, then a GET of its first byte, in `timeoutMs` in total.
 * A source that does not answer is no error, because it may answer when its job runs. Throws SourceError
 * `SOURCE_FORBIDDEN` for a URL that can never be fetched.
 */
export async function inspectSource(
  egress: GuardedEgress,
  url: string,
  {
    accountId,
    sourceHeaders,
    timeoutMs = 3_000,
  }: {
    readonly accountId?: string | undefined;
    readonly sourceHeaders?: SourceHeaders;
    readonly timeoutMs?: number;
  } = {},
): Promise<SourceInspection> {
  const signal = AbortSignal.timeout(timeoutMs);
  const request = { egress, ...addressOf(url, sourceHeaders), accountId, timeoutMs, signal };
  const sizeBytes = (await requestSize(request, 'HEAD')) ?? (await requestSize(request, 'GET'));
  return sizeBytes === undefined ? {} : { sizeBytes };
}

interface SizeRequest {
  readonly egress: GuardedEgress;
  readonly url: string;
  readonly originHeaders: SourceHeaders;
  readonly accountId: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function requestSize(
  { egress, url, originHeaders, accountId, timeoutMs, signal }: SizeRequest,
  method: 'HEAD' | 'GET',
): Promise<number | undefined> {
  if (signal.aborted) return undefined;
  try {
    const response = await egress.request(url, {
      method,
      headers: method === 'GET' ? { ...SOURCE_HEADERS, range: 'bytes=0-0' } : SOURCE_HEADERS,
      originHeaders,
      maxRedirects: DEFAULT_SOURCE_LIMITS.maxRedirects,
      connectTimeoutMs: timeoutMs,
      headersTimeoutMs: timeoutMs,
      idleTimeoutMs: timeoutMs,
      maxBodyBytes: 1,
      accountId,
      signal,
    });
    response.body.destroy();
    return sizeOf(response);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    const sourceError = toSourceError(error);
    if (sourceError.failure === 'SOURCE_FORBIDDEN') throw sourceError;
    return undefined;
  }
}

/** Servers that implement HEAD badly report a length of 0, so 0 counts as unknown. */
function sizeOf({ status, headers }: EgressResponse): number | undefined {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') return undefined;
  const sizeBytes =
    status === 206
      ? parseContentRange(headers['content-range'])?.total
      : status === 200
        ? parseContentLength(headers['content-length'])
        : undefined;
  return sizeBytes === 0 ? undefined : sizeBytes;
}
