/**
 * Parts of a source by HTTP ranges, for splits that need little of it.
 *
 * Every response must belong to the same source as the first: the same strong validator (If-Range) and the
 * same size. Anything else, including a refusal, fails as retryable, and the next attempt fetches the whole
 * source. If a server ignores Range and sends the same source from its beginning, the whole is written. The
 * limits and timeouts are those of the whole fetch.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { EgressError, type EgressResponse } from '@audiosplit/chassis/egress/egress';
import { formatBytes } from '@audiosplit/chassis/format-bytes';
import type { ByteSpan, SourceRanges } from '@audiosplit/engine/source/source-ranges';
import { parseContentLength, parseContentRange, resumeValidator } from './byte-range.ts';
import type { FetchTurn } from './fetch-turn.ts';
import { SourceError } from './source-error.ts';
import type { SourceLimits } from './source-limits.ts';
import type { SourceUse } from './source-use.ts';
import { createSpeedJudge } from './speed-watch.ts';
import type { Transfer, TransferRequest } from './transfer.ts';

interface RangeOptions {
  readonly start: (request: TransferRequest, signal: AbortSignal) => Promise<Transfer>;
  /** Held while a part is fetched. It is separate from that of the whole fetch, which is released. */
  readonly turn: FetchTurn;
  /** Ends the fetch of the whole source, because a source has one connection at a time. */
  readonly closeBody: () => void;
  /** As in ResumeOptions. */
  readonly waitedMs: () => number;
  readonly toPublicError: (error: unknown) => unknown;
  readonly limits: SourceLimits;
  readonly use: SourceUse;
  readonly signal: AbortSignal;
}

type Headers = EgressResponse['headers'];

/** Undefined if the first response does not offer ranges, or has no validator. */
export function createRangedSource(first: Headers, options: RangeOptions): SourceRanges | undefined {
  const { limits, use, turn } = options;
  const ifRange = resumeValidator(first);
  const sizeBytes = parseContentLength(first['content-length']);
  if (ifRange === undefined || sizeBytes === undefined) return undefined;
  const validator = ifRange;
  const size = sizeBytes;
  const judge = createSpeedJudge(limits, options.waitedMs);

  async function writeTo(path: string, wanted: ByteSpan, splitSignal: AbortSignal): Promise<ByteSpan> {
    options.closeBody();
    const signal = AbortSignal.any([options.signal, splitSignal]);
    try {
      await using file = await open(path, 'r+');
      return await writeSpan(file, wanted, signal);
    } catch (error) {
      throw splitSignal.aborted ? splitSignal.reason : options.toPublicError(error);
    } finally {
      turn.release();
    }
  }

  async function writeSpan(file: FileHandle, wanted: ByteSpan, signal: AbortSignal): Promise<ByteSpan> {
    let { start, end } = wanted;
    for (let position = start; position < end; ) {
      const before = position;
      const answer = await requestWithPlace({ start: position, end }, signal);
      if (answer.isWhole) [start, position, end] = [0, 0, size];
      try {
        for (let chunk = await answer.next(); chunk !== undefined; chunk = await answer.next()) {
          judge(chunk.byteLength);
          const taken = chunk.subarray(0, end - position);
          await writeFully(file, taken, position);
          position += taken.byteLength;
          if (position === end) break;
        }
      } catch (error) {
        const isBroken = error instanceof EgressError && error.failure === 'connection-lost';
        if (signal.aborted || !(isBroken || turn.isSetAside())) throw error;
      } finally {
        answer.destroy();
      }
      if (position < end && !turn.isSetAside()) await resume(position > before, position, signal);
    }
    return { start, end };
  }

  /** Repeated if the fetch is interrupted before the response. */
  async function requestWithPlace(span: ByteSpan, signal: AbortSignal) {
    for (;;) {
      const { setAside } = await turn.hold();
      try {
        return await request(span, AbortSignal.any([signal, setAside]));
      } catch (error) {
        if (signal.aborted || !turn.isSetAside()) throw error;
      }
    }
  }

  async function request(span: ByteSpan, signal: AbortSignal) {
    let isWhole = false;
    const transfer = await options.start(
      {
        headers: { range: `bytes=${span.start}-${span.end - 1}`, 'if-range': validator },
        maxBodyBytes: size,
        accept(response) {
          isWhole = response.status === 200;
          assertSame(response, span);
        },
      },
      signal,
    );
    return { isWhole, next: transfer.next, destroy: transfer.destroy };
  }

  /** Called after a connection broke. If that connection delivered no bytes, it fails. */
  async function resume(broughtBytes: boolean, position: number, signal: AbortSignal): Promise<void> {
    if (!broughtBytes || use.resumes >= limits.maxResumes) {
      const message = `The connection to the source kept breaking, at last at ${formatBytes(position)}.`;
      throw new SourceError('SOURCE_UNREACHABLE', message, true);
    }
    use.resumes += 1;
    await sleep(limits.resumeDelayMs * use.resumes, undefined, { signal });
  }

  function assertSame({ status, headers }: EgressResponse, span: ByteSpan): void {
    if (status !== 200 && status !== 206 && status !== 412 && status !== 416) {
      const message = `The source answered a request for a part of it with status ${status}.`;
      throw new SourceError('SOURCE_UNREACHABLE', message, true);
    }
    const isPlain = (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity';
    const isSame = status === 200 ? isSameWhole(headers) : status === 206 && isPartOfIt(headers, span);
    if (isPlain && isSame) return;
    throw new SourceError('SOURCE_UNREACHABLE', 'The source changed while it was being read.', true);
  }

  function isSameWhole(headers: Headers): boolean {
    return parseContentLength(headers['content-length']) === size && hasValidator(headers) === true;
  }

  function isPartOfIt(headers: Headers, span: ByteSpan): boolean {
    const range = parseContentRange(headers['content-range']);
    if (range === undefined || range.first !== span.start || range.last >= span.end) return false;
    return (range.total ?? size) === size && hasValidator(headers) !== false;
  }

  /** Undefined if the response has no validator. */
  function hasValidator(headers: Headers): boolean | undefined {
    const named = headers[validator.startsWith('"') ? 'etag' : 'last-modified'];
    return named === undefined ? undefined : named.trim() === validator.trim();
  }

  return { sizeBytes: size, writeTo };
}

async function writeFully(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.byteLength - written, position + written);
    written += bytesWritten;
  }
}
