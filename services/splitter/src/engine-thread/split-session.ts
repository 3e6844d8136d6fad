import type { MessagePort, Transferable } from 'node:worker_threads';
import type { FinishedSegment, SplitOptions, SplitResult } from '@audiosplit/engine/media';
import type { ByteSpan } from '@audiosplit/engine/source/source-ranges';
import { unpackError } from './packed-error.ts';
import type { FromSplit, ToSplit } from './protocol.ts';
import { sendSource } from './source-sender.ts';

/**
 * The host's end of one split. Disposing waits until the caller has handled its segments, and closes the
 * source.
 */
interface SplitSession extends AsyncDisposable {
  /** The engine's result; pending for ever if the thread dies. */
  readonly outcome: Promise<SplitResult>;
  /** Paths of the segments that were handed out. */
  readonly handedOut: ReadonlySet<string>;
  /** Whether the error arose on the host, from the source or the caller. */
  isOwnError(error: unknown): boolean;
  /** Describes the progress, for the log. */
  describe(): string;
}

/** Sends the source to the engine at the other end of `port`, and passes its results to the caller. */
export function openSplitSession(
  port: MessagePort,
  options: SplitOptions,
  takesOverChunks: boolean,
): SplitSession {
  const errors: unknown[] = [];
  const keepError = (error: unknown): number => errors.push(error) - 1;
  const send = (message: ToSplit, transfer: Transferable[] = []): void => port.postMessage(message, transfer);
  const sending = { send, keepError, takesOverChunks };
  const abort = (reason: unknown): void => send({ kind: 'abort', errorId: keepError(reason) });
  const onAbort = (): void => abort(options.signal.reason);
  const outcome = Promise.withResolvers<SplitResult>();
  outcome.promise.catch(() => undefined);
  const handedOut = new Set<string>();
  const inHand = new Set<Promise<void>>();
  const closing = new AbortController();
  let progress = 0;

  async function handOut(segment: FinishedSegment): Promise<void> {
    const { index } = segment;
    handedOut.add(segment.path);
    try {
      await options.onSegment(segment);
      send({ kind: 'segment-taken', index });
    } catch (error) {
      send({ kind: 'segment-refused', index, errorId: keepError(error) });
    }
  }

  async function writeRange(id: number, path: string, span: ByteSpan): Promise<void> {
    void sources[0]?.stop();
    try {
      if (options.sourceRanges === undefined) throw new Error('the source gives no parts of itself');
      const signal = AbortSignal.any([options.signal, closing.signal]);
      send({ kind: 'range-written', id, span: await options.sourceRanges.writeTo(path, span, signal) });
    } catch (error) {
      send({ kind: 'range-failed', id, errorId: keepError(error) });
    }
  }

  /** Work that the end of the session waits for. */
  function holdOpen(work: Promise<void>): void {
    const held = work.finally(() => inHand.delete(held));
    inHand.add(held);
  }

  async function reserve(neededMs: number): Promise<void> {
    try {
      await options.reserve?.(neededMs);
      send({ kind: 'reserved' });
    } catch (error) {
      send({ kind: 'reservation-refused', errorId: keepError(error) });
    }
  }

  /** Not awaited: if the thread has died, the end of the reservation rejects it. */
  async function reserveScratch(bytes: number): Promise<void> {
    try {
      await options.scratchRoom?.reserve(bytes);
      send({ kind: 'scratch-reserved' });
    } catch (error) {
      send({ kind: 'scratch-refused', errorId: keepError(error) });
    }
  }

  function reopenSource(): void {
    void sources[0]?.stop();
    try {
      if (options.reopenSource === undefined) throw new Error('the source cannot be had again');
      sources.push(sendSource(options.reopenSource(), 1, sending));
    } catch (error) {
      send({ kind: 'source-failed', turn: 1, errorId: keepError(error) });
    }
  }

  function reportProgress(fraction: number): void {
    progress = fraction;
    try {
      options.onProgress(fraction);
    } catch (error) {
      abort(error);
    }
  }

  port.on('message', (message: FromSplit) => {
    switch (message.kind) {
      case 'chunks-read':
        sources[message.turn]?.readChunks(message.weight);
        break;
      case 'reopen-source':
        reopenSource();
        break;
      case 'write-range':
        holdOpen(writeRange(message.id, message.path, message.span));
        break;
      case 'segment':
        holdOpen(handOut(message.segment));
        break;
      case 'reserve':
        holdOpen(reserve(message.neededMs));
        break;
      case 'reserve-scratch':
        void reserveScratch(message.bytes);
        break;
      case 'progress':
        reportProgress(message.fraction);
        break;
      case 'done':
        outcome.resolve(message.result);
        break;
      case 'failed':
        outcome.reject(unpackError(message.error, (errorId) => errors[errorId]));
        break;
      default:
        message satisfies never;
    }
  });
  const { source } = options;
  const sources = 'path' in source ? [] : [sendSource(source, 0, { ...sending, onHunger: options.onHunger })];
  options.signal.addEventListener('abort', onAbort, { once: true });

  return {
    outcome: outcome.promise,
    handedOut,
    isOwnError: (error) => errors.includes(error),
    describe: () =>
      `progress ${progress.toFixed(3)}, ${sources.at(-1)?.bytesSent() ?? 0} bytes of the source sent, ${handedOut.size} segments handed out`,
    async [Symbol.asyncDispose]() {
      options.signal.removeEventListener('abort', onAbort);
      closing.abort(new Error('the split has ended'));
      await Promise.all([...inHand, ...sources.map((source) => source.stop())]);
      port.close();
    },
  };
}
