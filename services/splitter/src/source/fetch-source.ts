/**
 * Opens a source by HTTP and resolves once its first bytes are there. A source that never answered is requested a second
 * time and no third, so a dead link fails within seconds and holds no slot.
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
  /** Its reason is what opening and reading reject with once it is aborted. */
  readonly signal: AbortSignal;
  /** What earlier attempts have used, added to here; absent: nothing yet. */
  readonly use?: SourceUse;
}

export interface FetchOptions extends SourceOptions {
  readonly limits?: Partial<SourceLimits>;
  /** Asked before each connection; absent: there may be any number. */
  readonly enterHost?: EnterHost;
  /** Asked before the first connection, and again after the fetch was set aside; absent: there may be any number. */
  readonly enterFetches?: EnterFetches;
  /** Sent to the origin of the given address only. */
  readonly sourceHeaders?: SourceHeaders;
  /** Whose source it is, as the egress bounds it. */
  readonly accountId?: string;
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
  /** Any part of it, where its server gives such; `body` is closed once one is asked for. */
  readonly ranges?: SourceRanges;
  /** Where it lies on this machine, if it does: `body` and `reopen` need not be used then. */
  readonly file?: LocalFile;
  /** Bytes handed out so far. */
  bytesRead(): number;
}

/** Of a source that has never answered. */
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

  /** What the caller is to see of an error from below. */
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
    // We asked for plain bytes; unpacking what comes instead would let a small answer grow past every limit.
    throw new SourceError(
      'SOURCE_UNREACHABLE',
      `The source insists on content-encoding "${encoding}".`,
      false,
    );
  }
  const declaredSizeBytes = parseContentLength(headers['content-length']);
  if (declaredSizeBytes !== undefined && declaredSizeBytes > maxBytes) throw tooLargeError(maxBytes);
}
