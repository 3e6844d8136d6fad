/**
 * Opens a source by HTTP and resolves once its first bytes have arrived. A source that never answered is
 * requested a second time but not a third, so a dead link fails within seconds and holds no slot.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  EgressError,
  type EgressResponse,
  type EnterHost,
  type GuardedEgress,
} from '@audiosplit/chassis/egress/egress';
import type { LocalFile } from '@audiosplit/engine/source/local-file';
import type { SourceRanges } from '@audiosplit/engine/source/source-ranges';
import type { SourceHeaders } from '@audiosplit/proto/source-headers';
import { parseContentLength } from './byte-range.ts';
import { createFetchTime } from './fetch-time.ts';
import { createFetchTurn, type EnterFetches, enterAnyFetch } from './fetch-turn.ts';
import { createRangedSource } from './ranged-source.ts';
import { createResumableBody } from './resumable-body.ts';
import { addressOf, hostWithoutHeaders, type SourceAddress } from './source-address.ts';
import { SourceError, statusError, tooLargeError, toSourceError } from './source-error.ts';
import { sourceFileName } from './source-file-name.ts';
import { DEFAULT_SOURCE_LIMITS, type SourceLimits } from './source-limits.ts';
import { noSourceUse, type SourceUse } from './source-use.ts';
import { startTransfer, type Transfer, type TransferRequest } from './transfer.ts';

export interface SourceOptions {
  readonly maxBytes: number;
  /** When it aborts, opening and reading reject with its reason. */
  readonly signal: AbortSignal;
  /** The use by earlier attempts, increased here; absent: none. */
  readonly use?: SourceUse;
}

export interface FetchOptions extends SourceOptions {
  readonly limits?: Partial<SourceLimits>;
  /** Called before each connection; absent: unbounded. */
  readonly enterHost?: EnterHost;
  /** Called before the first connection, and again after the fetch was interrupted; absent: unbounded. */
  readonly enterFetches?: EnterFetches;
  /** Sent only to the origin of the given address. */
  readonly sourceHeaders?: SourceHeaders;
  /** The account of the source, whose look-ups the egress bounds. */
  readonly accountId?: string;
}

/** Disposing it closes its connection, whether read or not. */
export interface OpenSource extends AsyncDisposable {
  readonly fileName: string;
  readonly declaredSizeBytes?: number;
  readonly contentType?: string;
  /** Read once, in order, as fast as it is consumed. Rejects with SourceError. */
  readonly body: AsyncIterable<Uint8Array>;
  /**
   * The same bytes again, from the first; absent if a second reading may return other bytes or none. A link
   * to elsewhere may be valid for one use only.
   */
  readonly reopen?: () => AsyncIterable<Uint8Array>;
  /** Reads ranges, if the server supports them; the first call closes `body`. */
  readonly ranges?: SourceRanges;
  /** The source's file, if it lies on this machine: `body` and `reopen` need not be used then. */
  readonly file?: LocalFile;
  /** Bytes returned so far. */
  bytesRead(): number;
}

/** Attempts for a source that has never answered. */
const MAX_TRIES = 2;

/** Throws SourceError, or the signal's reason. */
export async function openSource(
  egress: GuardedEgress,
  url: string,
  options: FetchOptions,
): Promise<OpenSource> {
  const { maxBytes, use = noSourceUse(), enterHost = enterAnyHost, accountId } = options;
  const limits = { ...DEFAULT_SOURCE_LIMITS, ...options.limits };
  const address = addressOf(url, options.sourceHeaders);
  const fetchTime = createFetchTime(limits.maxFetchMs, use);
  const signal = AbortSignal.any([options.signal, fetchTime.signal]);
  const { enterFetches = enterAnyFetch } = options;
  const turn = createFetchTurn(enterFetches, signal);
  const start = (request: TransferRequest, transferSignal: AbortSignal) =>
    startTransfer(
      { egress, ...address, limits, fetchTime, enterHost, accountId, signal: transferSignal },
      request,
    );

  /** The error as shown to the caller. */
  const toPublicError = (error: unknown): unknown => {
    if (signal.aborted) return signal.reason;
    if (!(error instanceof EgressError)) return error;
    return error.failure === 'too-large' ? tooLargeError(maxBytes) : toSourceError(error);
  };

  const startFirst = async (): Promise<Transfer> => {
    const request = {
      headers: {},
      maxBodyBytes: maxBytes,
      accept: (response: EgressResponse) => assertAccepted(response, address, maxBytes),
    };
    for (let tries = 1; ; ) {
      const { setAside } = await turn.hold();
      try {
        return await start(request, AbortSignal.any([signal, setAside]));
      } catch (error) {
        if (turn.isSetAside() && !signal.aborted) continue;
        const hasNeverAnswered = error instanceof EgressError && error.failure === 'timeout';
        if (!hasNeverAnswered || tries === MAX_TRIES) throw error;
        tries += 1;
      }
      await sleep(limits.retryDelayMs, undefined, { signal });
    }
  };

  let first: Transfer;
  try {
    first = await startFirst();
  } catch (error) {
    turn.release();
    throw toPublicError(error);
  }
  const declaredSizeBytes = parseContentLength(first.headers['content-length']);
  const contentType = first.headers['content-type'];
  const body = createResumableBody(first, {
    start: (bytesRead, request, restSignal) =>
      start({ ...request, maxBodyBytes: maxBytes - bytesRead }, restSignal),
    waitedMs: fetchTime.usedMs,
    turn,
    toPublicError,
    limits,
    use,
    signal,
  });
  const ranges = createRangedSource(first.headers, {
    start,
    turn: createFetchTurn(enterFetches, signal, true),
    closeBody: body.destroy,
    waitedMs: fetchTime.usedMs,
    toPublicError,
    limits,
    use,
    signal,
  });
  return {
    fileName: sourceFileName(url, first.headers['content-disposition']),
    ...(declaredSizeBytes === undefined ? {} : { declaredSizeBytes }),
    ...(contentType === undefined ? {} : { contentType }),
    body: body.chunks,
    ...(ranges === undefined ? {} : { ranges }),
    bytesRead: body.bytesRead,
    async [Symbol.asyncDispose]() {
      body.destroy();
    },
  };
}

const enterAnyHost: EnterHost = async () => ({ [Symbol.dispose]() {} });

/** Throws SourceError. */
function assertAccepted(
  { status, headers, url }: EgressResponse,
  address: SourceAddress,
  maxBytes: number,
): void {
  if (status !== 200) throw statusError(status, hostWithoutHeaders(address, url));
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    // We requested plain bytes; decompressing a response would let a small one grow past every limit.
    throw new SourceError(
      'SOURCE_UNREACHABLE',
      `The source insists on content-encoding "${encoding}".`,
      false,
    );
  }
  const declaredSizeBytes = parseContentLength(headers['content-length']);
  if (declaredSizeBytes !== undefined && declaredSizeBytes > maxBytes) throw tooLargeError(maxBytes);
}
