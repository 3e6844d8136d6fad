/**
 * One stream of bytes over as many connections as necessary.
 *
 * When a connection breaks in mid-body, the rest is requested with Range and If-Range, at the URL that the
 * caller named (the target of a redirect may have expired). Only a 206 that begins at the next byte and ends
 * at the end of the same source is accepted. A source that has changed fails as retryable, because a new
 * start may succeed. Resuming needs byte ranges and a strong validator in the first response. After a resume
 * without any byte the fetch fails, and the job's next attempt starts again.
 *
 * A fetch that is interrupted for another account loses its connection and continues once it has a slot
 * again: with the rest, or from the start if the source has no validator or ignores ranges. In that case the
 * bytes read before must be the same again.
 *
 * Time counts against the source only while the reader waits for its bytes, never while the reader is busy.
 * Failure mode: a body without a length that ends too early, but cleanly, looks complete; only the media
 * parser can detect that.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { EgressError, type EgressResponse } from '@audiosplit/chassis/egress/egress';
import { formatBytes } from '@audiosplit/chassis/format-bytes';
import { parseContentLength, parseContentRange, resumeValidator } from './byte-range.ts';
import type { FetchTurn } from './fetch-turn.ts';
import { SourceError, statusError } from './source-error.ts';
import type { SourceLimits } from './source-limits.ts';
import type { SourceUse } from './source-use.ts';
import { createSpeedJudge } from './speed-watch.ts';
import type { Transfer, TransferRequest } from './transfer.ts';

interface ResumeOptions {
  /** Requests the source again; the first `bytesRead` bytes are not needed. */
  readonly start: (
    bytesRead: number,
    request: Omit<TransferRequest, 'maxBodyBytes'>,
    signal: AbortSignal,
  ) => Promise<Transfer>;
  /** The time spent waiting for the source so far, without queueing for a connection. */
  readonly waitedMs: () => number;
  readonly turn: FetchTurn;
  readonly toPublicError: (error: unknown) => unknown;
  readonly limits: SourceLimits;
  readonly use: SourceUse;
  readonly signal: AbortSignal;
}

interface ResumableBody {
  readonly chunks: AsyncIterable<Uint8Array>;
  bytesRead(): number;
  /** Closes the connection and ends a resume in flight; further reads fail. */
  destroy(): void;
}

export function createResumableBody(first: Transfer, options: ResumeOptions): ResumableBody {
  const { limits, use, waitedMs, turn } = options;
  const closing = new AbortController();
  const signal = AbortSignal.any([options.signal, closing.signal]);
  const validator = resumeValidator(first.headers);
  const totalBytes = parseContentLength(first.headers['content-length']);
  // The wait for a resume counts too; otherwise a source that stalls and breaks would look fast.
  let judge = createSpeedJudge(limits, waitedMs);
  let current = first;
  let bytesRead = 0;
  let checksum = 0;

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const chunk = await next();
        if (chunk === undefined) return;
        bytesRead += chunk.byteLength;
        checksum = crc32(chunk, checksum);
        yield chunk;
      }
    } catch (error) {
      throw closing.signal.aborted ? closing.signal.reason : options.toPublicError(error);
    } finally {
      current.destroy();
      turn.release();
    }
  }

  async function next(): Promise<Uint8Array | undefined> {
    const chunk = await nextOfAnyConnection();
    if (chunk !== undefined) judge(chunk.byteLength);
    return chunk;
  }

  async function nextOfAnyConnection(): Promise<Uint8Array | undefined> {
    let broken: EgressError | undefined;
    for (;;) {
      try {
        if (turn.isSetAside()) current = await comeBack();
        else if (broken !== undefined && validator !== undefined) current = await resume(validator, broken);
        broken = undefined;
        return await current.next();
      } catch (error) {
        if (signal.aborted) throw error;
        if (turn.isSetAside()) continue;
        if (broken !== undefined || !isBrokenConnection(error) || validator === undefined) throw error;
        broken = error;
      }
    }
  }

  /** Not counted as a resume: the source did not cause the loss of the connection. */
  async function comeBack(): Promise<Transfer> {
    if (bytesRead === totalBytes) return NOTHING_MORE;
    const { setAside } = await turn.hold();
    let isRest = false;
    const transfer = await options.start(
      0,
      {
        headers: validator === undefined ? {} : { range: `bytes=${bytesRead}-`, 'if-range': validator },
        accept(response) {
          isRest = validator !== undefined && isTheRest(response, validator);
          if (!isRest) assertTheSame(response);
        },
      },
      AbortSignal.any([signal, setAside]),
    );
    const rest = isRest ? transfer : await skipRead(transfer);
    judge = createSpeedJudge(limits, waitedMs);
    return rest;
  }

  function assertTheSame({ status, headers }: EgressResponse): void {
    if (!RANGE_STATUSES.has(status)) throw statusError(status);
    if (status !== 200 || parseContentLength(headers['content-length']) !== totalBytes) throw changed();
  }

  /** Reads the bytes again and compares them, because nothing else shows whether the source has changed. */
  async function skipRead(transfer: Transfer): Promise<Transfer> {
    let left = bytesRead;
    let skipped = 0;
    let rest: Uint8Array | undefined;
    while (left > 0) {
      const chunk = await transfer.next();
      if (chunk === undefined) throw changed();
      const known = chunk.subarray(0, left);
      skipped = crc32(known, skipped);
      left -= known.byteLength;
      if (known.byteLength < chunk.byteLength) rest = chunk.subarray(known.byteLength);
    }
    if (skipped !== checksum) throw changed();
    return {
      ...transfer,
      async next() {
        const chunk = rest ?? (await transfer.next());
        rest = undefined;
        return chunk;
      },
    };
  }

  async function resume(ifRange: string, broken: EgressError): Promise<Transfer> {
    if (use.resumes >= limits.maxResumes) {
      const message = `The connection to the source kept breaking; ${formatBytes(bytesRead)} had come.`;
      throw new SourceError('SOURCE_UNREACHABLE', message, true, { cause: broken });
    }
    use.resumes += 1;
    await sleep(limits.resumeDelayMs * use.resumes, undefined, { signal });
    const request: Omit<TransferRequest, 'maxBodyBytes'> = {
      headers: { range: `bytes=${bytesRead}-`, 'if-range': ifRange },
      accept: (response) => assertTheRest(response, ifRange),
    };
    const { setAside } = await turn.hold();
    const rest = await options.start(bytesRead, request, AbortSignal.any([signal, setAside]));
    if (!rest.isEmpty) return rest;
    const message = `The connection to the source broke after ${formatBytes(bytesRead)}, and its answer to a request for the rest was empty.`;
    throw new SourceError('SOURCE_UNREACHABLE', message, true, { cause: broken });
  }

  function assertTheRest(response: EgressResponse, ifRange: string): void {
    if (isTheRest(response, ifRange)) return;
    if (!RANGE_STATUSES.has(response.status)) throw statusError(response.status);
    throw changed();
  }

  function isTheRest({ status, headers }: EgressResponse, ifRange: string): boolean {
    const range = parseContentRange(headers['content-range']);
    if (status !== 206 || range === undefined || range.first !== bytesRead) return false;
    const total = totalBytes ?? range.total;
    if (range.total !== undefined && range.total !== total) return false;
    if (total !== undefined && range.last !== total - 1) return false;
    return headers.etag === undefined || !ifRange.startsWith('"') || headers.etag === ifRange;
  }

  return {
    chunks: read(),
    bytesRead: () => bytesRead,
    destroy() {
      closing.abort(new Error('the source was closed'));
      current.destroy();
      turn.release();
    },
  };
}

const NOTHING_MORE: Transfer = {
  headers: {},
  isEmpty: true,
  next: async () => undefined,
  destroy() {},
};

function changed(): SourceError {
  return new SourceError('SOURCE_UNREACHABLE', 'The source changed while it was being read.', true);
}

/** Responses to a range request that mean the source now has another body. */
const RANGE_STATUSES: ReadonlySet<number> = new Set([200, 206, 412, 416]);

function isBrokenConnection(error: unknown): error is EgressError {
  return error instanceof EgressError && error.failure === 'connection-lost';
}
