/**
 * One stream of bytes over as many connections as it takes.
 *
 * When a connection breaks in mid-body, the rest is asked for with Range and If-Range, at the URL the caller
 * named (what it redirected to may have expired). Only a 206 that begins at the next byte and runs to
 * the end of the same whole is joined on; a source that changed meanwhile fails as retryable, for a fresh
 * start may do. Resuming needs byte ranges and a strong validator in the first answer.
 *
 * Time counts against the source only while its bytes are waited for, never while the reader is busy.
 * Failure mode: a body without a length that ends too early, but cleanly, looks complete; only what parses
 * the media can find out.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { EgressError, type EgressResponse } from '@audiosplit/chassis/egress/egress';
import { formatBytes } from '@audiosplit/chassis/format-bytes';
import { parseContentLength, parseContentRange, resumeValidator } from './byte-range.ts';
import { SourceError, statusError, toSourceError } from './source-error.ts';
import type { SourceLimits } from './source-limits.ts';
import { createSpeedWatch } from './speed-watch.ts';

export interface ResumeOptions {
  /** Asks for the source again; `bytesRead` of it need not come again. */
  readonly request: (headers: Readonly<Record<string, string>>, bytesRead: number) => Promise<EgressResponse>;
  readonly toPublicError: (error: unknown) => unknown;
  readonly limits: SourceLimits;
  readonly signal: AbortSignal;
}

export interface ResumableBody {
  readonly chunks: AsyncIterable<Uint8Array>;
  bytesRead(): number;
  /** Closes the connection; reading on fails. */
  destroy(): void;
}

export function createResumableBody(first: EgressResponse, options: ResumeOptions): ResumableBody {
  const { limits, signal } = options;
  const validator = resumeValidator(first.headers);
  const totalBytes = parseContentLength(first.headers['content-length']);
  const speed = createSpeedWatch(limits.speedWindowMs, limits.minBytesPerSecond);
  let current = first;
  let bytesRead = 0;
  let resumes = 0;

  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (let isComplete = false; !isComplete; ) {
        try {
          yield* readCurrent();
          isComplete = true;
        } catch (error) {
          if (!isBrokenConnection(error) || validator === undefined) throw error;
          current = await resume(validator, error);
        }
      }
    } catch (error) {
      throw options.toPublicError(error);
    } finally {
      current.body.destroy();
    }
  }

  async function* readCurrent(): AsyncGenerator<Uint8Array> {
    const chunks: AsyncIterator<Uint8Array> = current.body[Symbol.asyncIterator]();
    for (;;) {
      const askedAtMs = performance.now();
      const { done, value } = await chunks.next();
      if (done === true) return;
      if (!speed.observe(performance.now() - askedAtMs, value.byteLength)) {
        const floor = `${formatBytes(limits.minBytesPerSecond)} a second over ${limits.speedWindowMs / 1000} s`;
        throw new SourceError('SOURCE_TIMEOUT', `The source sent less than ${floor}.`, true);
      }
      bytesRead += value.byteLength;
      yield value;
    }
  }

  async function resume(ifRange: string, broken: EgressError): Promise<EgressResponse> {
    let cause: Error = broken;
    while (resumes < limits.maxResumes) {
      resumes += 1;
      await sleep(limits.resumeDelayMs * resumes, undefined, { signal });
      const answer = await requestRest(ifRange);
      if (!(answer instanceof SourceError)) return answer;
      cause = answer;
    }
    const message = `The connection to the source kept breaking; ${formatBytes(bytesRead)} had come.`;
    throw new SourceError('SOURCE_UNREACHABLE', message, true, { cause });
  }

  /** Returns the error after which another try makes sense, throws any other. */
  async function requestRest(ifRange: string): Promise<EgressResponse | SourceError> {
    let response: EgressResponse;
    try {
      response = await options.request({ range: `bytes=${bytesRead}-`, 'if-range': ifRange }, bytesRead);
    } catch (error) {
      if (signal.aborted || !(error instanceof EgressError)) throw error;
      const failed = toSourceError(error);
      if (!failed.retryable) throw error;
      return failed;
    }
    if (isTheRest(response, ifRange)) return response;
    response.body.destroy();
    if (RANGE_STATUSES.has(response.status)) {
      throw new SourceError('SOURCE_UNREACHABLE', 'The source changed while it was being read.', true);
    }
    const refused = statusError(response.status);
    if (!refused.retryable) throw refused;
    return refused;
  }

  function isTheRest({ status, headers }: EgressResponse, ifRange: string): boolean {
    const range = parseContentRange(headers['content-range']);
    if (status !== 206 || range === undefined || range.first !== bytesRead) return false;
    const total = totalBytes ?? range.total;
    if (range.total !== undefined && range.total !== total) return false;
    if (total !== undefined && range.last !== total - 1) return false;
    return headers.etag === undefined || !ifRange.startsWith('"') || headers.etag === ifRange;
  }

  return { chunks: read(), bytesRead: () => bytesRead, destroy: () => current.body.destroy() };
}

/** Answers to a range request of a source that has another body now than before. */
const RANGE_STATUSES: ReadonlySet<number> = new Set([200, 206, 412, 416]);

function isBrokenConnection(error: unknown): error is EgressError {
  return error instanceof EgressError && error.failure === 'connection-lost';
}
