/**
 * The thread's side: takes one split after another from the host and runs the engine.
 *
 * Only the engine's own errors are caught here. An exception in a timer, an unhandled rejection, an exit or
 * an exhausted heap ends the thread; the host notices it and fails the split.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { SplitOptions, SplitResult } from '@audiosplit/engine/media';
import type { ByteSpan } from '@audiosplit/engine/source/source-ranges';
import { watchChildren } from './child-watch.ts';
import { HostError, packError } from './packed-error.ts';
import {
  type FromSplit,
  type FromThread,
  type SourceTurn,
  type SplitRequest,
  type ThreadData,
  type ToSplit,
  type ToThread,
  VITALS,
} from './protocol.ts';
import { receiveSource, type SourceReceiver } from './source-receiver.ts';

/** Smaller steps are not reported. */
const PROGRESS_STEP = 0.002;

/** Call it once, in the thread's entry module. */
export function serveSplits(split: (options: SplitOptions) => Promise<SplitResult>): void {
  const host = parentPort;
  if (host === null) throw new Error('this module is the beginning of a worker thread');
  const post = (message: FromThread): void => host.postMessage(message);
  watchChildren(post);
  host.on('message', ({ request, port }: ToThread) => {
    const { sourceFile, canReopenSource, rangedSizeBytes, canReserve, scratchShareBytes, ...options } =
      request;
    const given = { canReopenSource, rangedSizeBytes, canReserve, scratchShareBytes };
    void serve(port, given, (ports) =>
      split({ ...options, ...ports, ...(sourceFile === undefined ? {} : { source: sourceFile }) }),
    );
  });
  post({ kind: 'ready' });
}

type Ports = Pick<
  SplitOptions,
  | 'source'
  | 'reopenSource'
  | 'sourceRanges'
  | 'reserve'
  | 'scratchRoom'
  | 'signal'
  | 'onProgress'
  | 'onSegment'
>;

/** Never rejects. The host closes the port. */
async function serve(
  port: MessagePort,
  {
    canReopenSource,
    rangedSizeBytes,
    canReserve,
    scratchShareBytes,
  }: Pick<SplitRequest, 'canReopenSource' | 'rangedSizeBytes' | 'canReserve' | 'scratchShareBytes'>,
  split: (ports: Ports) => Promise<SplitResult>,
): Promise<void> {
  const post = (message: FromSplit): void => port.postMessage(message);
  const receive = (turn: SourceTurn): SourceReceiver =>
    receiveSource((weight) => post({ kind: 'chunks-read', turn, weight }));
  const sources = [receive(0), receive(1)] as const;
  const aborting = new AbortController();
  const segments = new Map<number, PromiseWithResolvers<void>>();
  const ranges = new Map<number, PromiseWithResolvers<ByteSpan>>();
  let rangeCount = 0;
  let reservation = Promise.withResolvers<void>();
  let scratch = Promise.withResolvers<void>();
  let reportedFraction = -1;

  port.on('message', (message: ToSplit) => {
    switch (message.kind) {
      case 'chunk':
        sources[message.turn].take(message.bytes);
        break;
      case 'source-ended':
        sources[message.turn].end();
        break;
      case 'source-failed':
        sources[message.turn].end(new HostError(message.errorId));
        break;
      case 'range-written':
        ranges.get(message.id)?.resolve(message.span);
        ranges.delete(message.id);
        break;
      case 'range-failed':
        ranges.get(message.id)?.reject(new HostError(message.errorId));
        ranges.delete(message.id);
        break;
      case 'segment-taken':
        segments.get(message.index)?.resolve();
        segments.delete(message.index);
        break;
      case 'segment-refused':
        segments.get(message.index)?.reject(new HostError(message.errorId));
        segments.delete(message.index);
        break;
      case 'reserved':
        reservation.resolve();
        break;
      case 'reservation-refused':
        reservation.reject(new HostError(message.errorId));
        break;
      case 'scratch-reserved':
        scratch.resolve();
        break;
      case 'scratch-refused':
        scratch.reject(new HostError(message.errorId));
        break;
      case 'abort':
        aborting.abort(new HostError(message.errorId));
        break;
      default:
        message satisfies never;
    }
  });

  function writeTo(path: string, span: ByteSpan): Promise<ByteSpan> {
    const id = rangeCount++;
    const written = Promise.withResolvers<ByteSpan>();
    ranges.set(id, written);
    post({ kind: 'write-range', id, path, span });
    return written.promise;
  }

  const { vitals, tickIntervalMs } = workerData as ThreadData;
  using _ticks = tick(vitals, tickIntervalMs);
  try {
    const result = await split({
      source: sources[0].chunks,
      ...(canReopenSource
        ? {
            reopenSource: () => {
              post({ kind: 'reopen-source' });
              return sources[1].chunks;
            },
          }
        : {}),
      ...(rangedSizeBytes === undefined ? {} : { sourceRanges: { sizeBytes: rangedSizeBytes, writeTo } }),
      ...(canReserve
        ? {
            reserve(neededMs) {
              reservation = Promise.withResolvers<void>();
              post({ kind: 'reserve', neededMs });
              return reservation.promise;
            },
          }
        : {}),
      ...(scratchShareBytes === undefined
        ? {}
        : {
            scratchRoom: {
              shareBytes: scratchShareBytes,
              reserve(bytes) {
                scratch = Promise.withResolvers();
                post({ kind: 'reserve-scratch', bytes });
                return scratch.promise;
              },
            },
          }),
      signal: aborting.signal,
      onProgress(fraction) {
        if (fraction < 1 && fraction - reportedFraction < PROGRESS_STEP) return;
        reportedFraction = fraction;
        post({ kind: 'progress', fraction });
      },
      onSegment(segment) {
        const taken = Promise.withResolvers<void>();
        segments.set(segment.index, taken);
        post({ kind: 'segment', segment });
        return taken.promise;
      },
    });
    showMemory(vitals);
    post({ kind: 'done', result });
  } catch (error) {
    showMemory(vitals);
    post({ kind: 'failed', error: packError(error) });
  }
}

/** Shows the host that this thread's event loop runs, and how much memory it uses. */
function tick(vitals: Int32Array, intervalMs: number): Disposable {
  const timer = setInterval(() => {
    showMemory(vitals);
    Atomics.add(vitals, VITALS.ticks, 1);
  }, intervalMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function showMemory(vitals: Int32Array): void {
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  Atomics.store(vitals, VITALS.bufferKib, Math.ceil(arrayBuffers / 1024));
  Atomics.store(vitals, VITALS.heapKib, Math.ceil(heapUsed / 1024));
}
