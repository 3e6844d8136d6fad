import { EgressError, type EgressResponse, type GuardedEgress } from '@audiosplit/chassis/egress/egress';
import type { LocalFile } from '../media/local-file.ts';
import { parseContentLength } from './byte-range.ts';
import { createResumableBody } from './resumable-body.ts';
import { SourceError, statusError, tooLargeError, toSourceError } from './source-error.ts';
import { sourceFileName } from './source-file-name.ts';
import { DEFAULT_SOURCE_LIMITS, SOURCE_HEADERS, type SourceLimits } from './source-limits.ts';

export interface SourceOptions {
  readonly maxBytes: number;
  /** Its reason is what opening and reading reject with once it is aborted. */
  readonly signal: AbortSignal;
  readonly limits?: Partial<SourceLimits>;
}

/** Disposing it closes its connection, read or not. */
export interface OpenSource extends AsyncDisposable {
  readonly fileName: string;
  readonly declaredSizeBytes?: number;
  readonly contentType?: string;
  /** Read once, in order, no faster than it is consumed. Rejects with SourceError. */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * The same bytes once more, from the first; absent where a second reading may give others or none. A link to
   * elsewhere may be good for one use only.
   */
  readonly reopen?: () => AsyncIterable<Uint8Array>;
  /** Where it lies on this machine, if it does: `body` and `reopen` need not be used then. */
  readonly file?: LocalFile;
  /** Bytes handed out so far. */
  bytesRead(): number;
}

/** Throws SourceError, or the signal's reason. */
export async function openSource(
  egress: GuardedEgress,
  url: string,
  { maxBytes, signal, limits: overrides }: SourceOptions,
): Promise<OpenSource> {
  const limits = { ...DEFAULT_SOURCE_LIMITS, ...overrides };

  const request = async (
    headers: Readonly<Record<string, string>>,
    maxBodyBytes: number,
  ): Promise<EgressResponse> =>
    await egress.request(url, {
      method: 'GET',
      headers: { ...SOURCE_HEADERS, ...headers },
      maxRedirects: limits.maxRedirects,
      connectTimeoutMs: limits.connectTimeoutMs,
      headersTimeoutMs: limits.headersTimeoutMs,
      idleTimeoutMs: limits.idleTimeoutMs,
      maxBodyBytes,
      signal,
    });

  /** What the caller is to see of an error from below. */
  const toPublicError = (error: unknown): unknown => {
    if (signal.aborted) return signal.reason;
    if (!(error instanceof EgressError)) return error;
    return error.failure === 'too-large' ? tooLargeError(maxBytes) : toSourceError(error);
  };

  let first: EgressResponse;
  try {
    first = await request({}, maxBytes);
  } catch (error) {
    throw toPublicError(error);
  }
  const declaredSizeBytes = parseContentLength(first.headers['content-length']);
  const refusal = refusalOf(first, declaredSizeBytes, maxBytes);
  if (refusal !== undefined) {
    first.body.destroy();
    throw refusal;
  }

  const contentType = first.headers['content-type'];
  const body = createResumableBody(first, {
    request: (headers, bytesRead) => request(headers, maxBytes - bytesRead),
    toPublicError,
    limits,
    signal,
  });
  return {
    fileName: sourceFileName(url, first.headers['content-disposition']),
    ...(declaredSizeBytes === undefined ? {} : { declaredSizeBytes }),
    ...(contentType === undefined ? {} : { contentType }),
    body: body.chunks,
    bytesRead: body.bytesRead,
    async [Symbol.asyncDispose]() {
      body.destroy();
    },
  };
}

function refusalOf(
  { status, headers }: EgressResponse,
  declaredSizeBytes: number | undefined,
  maxBytes: number,
): SourceError | undefined {
  if (status !== 200) return statusError(status);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    // We asked for plain bytes; unpacking what comes instead would let a small answer grow past every limit.
    return new SourceError(
      'SOURCE_UNREACHABLE',
      `The source insists on content-encoding "${encoding}".`,
      false,
    );
  }
  if (declaredSizeBytes !== undefined && declaredSizeBytes > maxBytes) return tooLargeError(maxBytes);
  return undefined;
}
