/**
 * The messages between the host (the process' main thread) and an engine thread.
 *
 * The thread's own port carries messages about the thread. Every split has a port of its own, so late
 * messages of one split cannot reach the next. Errors that arise on the host (from the source, `onSegment`,
 * or the abort's reason) are passed as numbers in both directions, so the caller gets the very object it
 * threw.
 */
import type { MessagePort } from 'node:worker_threads';
import type { FinishedSegment, SplitOptions, SplitResult } from '@audiosplit/engine/media';
import type { LocalFile } from '@audiosplit/engine/source/local-file';
import type { ByteSpan } from '@audiosplit/engine/source/source-ranges';
import type { PackedError } from './packed-error.ts';

/** The options of a split that are plain data. */
export interface SplitRequest
  extends Omit<
    SplitOptions,
    | 'source'
    | 'reopenSource'
    | 'sourceRanges'
    | 'reserve'
    | 'scratchRoom'
    | 'signal'
    | 'onHunger'
    | 'onProgress'
    | 'onSegment'
  > {
  /** The source as a file on this machine: its bytes are not sent then. */
  readonly sourceFile: LocalFile | undefined;
  /** Whether the host can send the source a second time. */
  readonly canReopenSource: boolean;
  /** The source's size if the host can send any range of it. */
  readonly rangedSizeBytes: number | undefined;
  /** Whether the split must report its need to the host. */
  readonly canReserve: boolean;
  /** Undefined: scratch room need not be reserved. */
  readonly scratchShareBytes: number | undefined;
}

/** Whether the source is sent for the first or the second time. */
export type SourceTurn = 0 | 1;

/** `workerData` of an engine thread. */
export interface ThreadData {
  readonly vitals: Int32Array;
  readonly tickIntervalMs: number;
}

/** Indexes into `ThreadData.vitals`, shared memory that the host reads without a message to the thread. */
export const VITALS = {
  /** Incremented at every turn of the thread's timer. It does not change while a split never yields. */
  ticks: 0,
  /** Memory of array buffers, which a heap limit does not cover. */
  bufferKib: 1,
  /** Memory of V8's heap, garbage included. */
  heapKib: 2,
} as const;

export interface ToThread {
  readonly kind: 'split';
  readonly request: SplitRequest;
  readonly port: MessagePort;
}

export type FromThread =
  | { readonly kind: 'ready' }
  | { readonly kind: 'child-started'; readonly pid: number }
  | { readonly kind: 'child-ended'; readonly pid: number };

export type ToSplit =
  | { readonly kind: 'chunk'; readonly turn: SourceTurn; readonly bytes: Uint8Array }
  | { readonly kind: 'source-ended'; readonly turn: SourceTurn }
  | { readonly kind: 'source-failed'; readonly turn: SourceTurn; readonly errorId: number }
  | { readonly kind: 'range-written'; readonly id: number; readonly span: ByteSpan }
  | { readonly kind: 'range-failed'; readonly id: number; readonly errorId: number }
  | { readonly kind: 'segment-taken'; readonly index: number }
  | { readonly kind: 'segment-refused'; readonly index: number; readonly errorId: number }
  | { readonly kind: 'reserved' }
  | { readonly kind: 'reservation-refused'; readonly errorId: number }
  | { readonly kind: 'scratch-reserved' }
  | { readonly kind: 'scratch-refused'; readonly errorId: number }
  | { readonly kind: 'abort'; readonly errorId: number };

export type FromSplit =
  /** The engine has read chunks of this weight. */
  | { readonly kind: 'chunks-read'; readonly turn: SourceTurn; readonly weight: number }
  /** Requests the source from its beginning; pending chunks are no longer needed. */
  | { readonly kind: 'reopen-source' }
  /**
   * Requests that a range of the source is written to a file; pending chunks of the whole are no longer
   * needed.
   */
  | { readonly kind: 'write-range'; readonly id: number; readonly path: string; readonly span: ByteSpan }
  | { readonly kind: 'segment'; readonly segment: FinishedSegment }
  /** One request at a time. */
  | { readonly kind: 'reserve'; readonly neededMs: number }
  /** Requests room in the scratch space; one request at a time. */
  | { readonly kind: 'reserve-scratch'; readonly bytes: number }
  | { readonly kind: 'progress'; readonly fraction: number }
  | { readonly kind: 'done'; readonly result: SplitResult }
  | { readonly kind: 'failed'; readonly error: PackedError };

/** Maximum weight of the chunks in flight: enough that neither side waits. */
export const MAX_WEIGHT_IN_FLIGHT = 1024 * 1024;

/** Added to a chunk's bytes, so that a source of tiny chunks cannot accumulate objects. */
const CHUNK_OVERHEAD_BYTES = 1024;

export function weightOf(chunk: Uint8Array): number {
  return chunk.byteLength + CHUNK_OVERHEAD_BYTES;
}
