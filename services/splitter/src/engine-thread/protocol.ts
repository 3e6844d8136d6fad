/**
 * What the host (the process' main thread) and an engine thread say to each other.
 *
 * The thread's own port carries what concerns the thread; every split has a port of its own, so nothing
 * left over from one split can reach the next. Errors that arise on the host (the source's, `onSegment`'s,
 * the abort's reason) cross as numbers and come back as numbers: the caller gets the very object it threw.
 */
import type { MessagePort } from 'node:worker_threads';
import type { FinishedSegment, SplitOptions, SplitResult } from '@audiosplit/engine/media';
import type { LocalFile } from '@audiosplit/engine/source/local-file';
import type { ByteSpan } from '@audiosplit/engine/source/source-ranges';
import type { PackedError } from './packed-error.ts';

/** What of a split's options is plain data. */
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
  /** Where the source lies on this machine: nothing of it is sent then. */
  readonly sourceFile: LocalFile | undefined;
  /** Whether the host can give a source that it sends once more. */
  readonly canReopenSource: boolean;
  /** There where the host can give any part of a source that it sends: its size. */
  readonly rangedSizeBytes: number | undefined;
  /** Whether the host is to hear what the split needs. */
  readonly canReserve: boolean;
  /** Undefined: room need not be reserved. */
  readonly scratchShareBytes: number | undefined;
}

/** Which time it is that the source is given. */
export type SourceTurn = 0 | 1;

/** `workerData` of an engine thread. */
export interface ThreadData {
  readonly vitals: Int32Array;
  readonly tickIntervalMs: number;
}

/** Places in `ThreadData.vitals`, shared memory that the host reads without asking the thread. */
export const VITALS = {
  /** Grows with every turn of the thread's timer; a split that never yields makes it stand still. */
  ticks: 0,
  /** Memory in array buffers, which a heap limit does not cover. */
  bufferKib: 1,
  /** Memory in V8's heap, garbage included. */
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
  /** Chunks of this weight have been read by the engine. */
  | { readonly kind: 'chunks-read'; readonly turn: SourceTurn; readonly weight: number }
  /** The source is wanted from its beginning, and what is still on its way of it no more. */
  | { readonly kind: 'reopen-source' }
  /** A part of the source is wanted in a file, and what is still on its way of the whole no more. */
  | { readonly kind: 'write-range'; readonly id: number; readonly path: string; readonly span: ByteSpan }
  | { readonly kind: 'segment'; readonly segment: FinishedSegment }
  /** One at a time. */
  | { readonly kind: 'reserve'; readonly neededMs: number }
  /** Room in the scratch space, one at a time. */
  | { readonly kind: 'reserve-scratch'; readonly bytes: number }
  | { readonly kind: 'progress'; readonly fraction: number }
  | { readonly kind: 'done'; readonly result: SplitResult }
  | { readonly kind: 'failed'; readonly error: PackedError };

/** Weight of the chunks that may be on their way at once: enough that neither side waits. */
export const MAX_WEIGHT_IN_FLIGHT = 1024 * 1024;

/** Counted beside a chunk's bytes, so that a source of tiny chunks cannot pile up objects. */
const CHUNK_OVERHEAD_BYTES = 1024;

export function weightOf(chunk: Uint8Array): number {
  return chunk.byteLength + CHUNK_OVERHEAD_BYTES;
}
