/**
 * The scratch space of a source that is arriving.
 *
 * All of it is reserved before the engine begins, so that a source which arrives at a usual pace never waits. A
 * source that sends less than STEP_BYTES in CHECK_EVERY_MS lends what it does not need yet to other jobs, and
 * takes it back step by step as its bytes arrive. If that takes too long, its job is handed back
 * (ScratchBusyError). Otherwise one source that trickles could hold the space of a large file for an hour.
 */
import type { Reservation } from './scratch-budget.ts';

const STEP_BYTES = 8 * 1024 * 1024;
const CHECK_EVERY_MS = 10_000;

export interface SourceRoom extends Disposable {
  /** `bytes` of the source have arrived in total. Resolves when there is room for them. */
  arrived(bytes: number): Promise<void>;
  /** The source is complete, with `bytes`. */
  complete(bytes: number): void;
}

interface SourceRoomOptions {
  readonly reservation: Pick<Reservation, 'lend' | 'cover' | 'shrink'>;
  /** Of the source, in scratch at the same time. */
  readonly copies: number;
  readonly signal: AbortSignal;
  readonly stepBytes?: number;
  readonly checkEveryMs?: number;
}

export function createSourceRoom(options: SourceRoomOptions): SourceRoom {
  const { reservation, copies, signal, stepBytes = STEP_BYTES, checkEveryMs = CHECK_EVERY_MS } = options;
  let arrivedBytes = 0;
  let checkedBytes = 0;
  let coveredBytes = Number.POSITIVE_INFINITY;
  const timer = setInterval(() => {
    if (arrivedBytes - checkedBytes < stepBytes) {
      coveredBytes = arrivedBytes + stepBytes;
      reservation.lend(copies * coveredBytes);
    }
    checkedBytes = arrivedBytes;
  }, checkEveryMs);
  return {
    async arrived(bytes) {
      arrivedBytes = bytes;
      if (bytes <= coveredBytes) return;
      const wantedBytes = bytes + stepBytes;
      await reservation.cover(copies * wantedBytes, signal);
      coveredBytes = wantedBytes;
    },
    complete(bytes) {
      clearInterval(timer);
      reservation.shrink(copies * bytes);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
