/**
 * The scratch space of a source that is arriving.
 *
 * All of it is reserved before the engine begins, so that a source which arrives at a usual pace never waits. A
 * source that is waited for, and sends less than STEP_BYTES in CHECK_EVERY_MS, lends what it does not need yet to
 * other jobs, and takes it back step by step as its bytes arrive. If that takes too long, its job is handed back
 * (ScratchBusyError). Otherwise one source that trickles could hold the space of a large file for an hour.
 */
import type { Reservation } from './scratch-budget.ts';
import { createStopwatch } from './stopwatch.ts';

const STEP_BYTES = 8 * 1024 * 1024;
const CHECK_EVERY_MS = 10_000;
/** A source is slow only if its reader has waited for it for most of the time. */
const SLOW_RATIO = 0.8;

export interface SourceRoom extends Disposable {
  /** More bytes are requested from the source. */
  waits(): void;
  /** `bytes` of the source have arrived in total. Resolves when there is room for them. */
  arrived(bytes: number): Promise<void>;
  /** Reads a part of the source, of this many bytes, which are stored beside the others. */
  readPart<T>(bytes: number, read: () => Promise<T>): Promise<T>;
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
  /** A monotonic clock. */
  readonly nowMs?: () => number;
}

export function createSourceRoom(options: SourceRoomOptions): SourceRoom {
  const { reservation, copies, signal } = options;
  const { stepBytes = STEP_BYTES, checkEveryMs = CHECK_EVERY_MS } = options;
  let arrivedBytes = 0;
  let checkedBytes = 0;
  let coveredBytes = Number.POSITIVE_INFINITY;
  const waiting = createStopwatch(options.nowMs);

  const check = () => {
    const isSlow = waiting.takeMs() >= SLOW_RATIO * checkEveryMs && arrivedBytes - checkedBytes < stepBytes;
    checkedBytes = arrivedBytes;
    if (!isSlow) return;
    coveredBytes = Math.min(coveredBytes, arrivedBytes + stepBytes);
    reservation.lend(copies * coveredBytes);
  };
  const timer = setInterval(check, checkEveryMs);
  const end = () => {
    clearInterval(timer);
    coveredBytes = Number.POSITIVE_INFINITY;
  };

  const arrived = async (bytes: number): Promise<void> => {
    waiting.stop();
    // A source that is read again arrives a second time.
    arrivedBytes = Math.max(arrivedBytes, bytes);
    if (arrivedBytes <= coveredBytes) return;
    const wantedBytes = arrivedBytes + stepBytes;
    await reservation.cover(copies * wantedBytes, signal);
    coveredBytes = Math.max(coveredBytes, wantedBytes);
  };

  return {
    waits: waiting.start,
    arrived,
    async readPart(bytes, read) {
      await arrived(arrivedBytes + bytes);
      waiting.start();
      try {
        return await read();
      } finally {
        waiting.stop();
      }
    },
    complete(bytes) {
      end();
      reservation.shrink(copies * bytes);
    },
    [Symbol.dispose]: end,
  };
}
