/**
 * The scratch space of a replica as a budget: a job reserves its planned space before it writes.
 *
 * A job reserves room for its source first, and room for its work (samples, segments) when its plan is made.
 * To prevent deadlocks, all sources together leave half of the budget for work, except that a single source
 * may be larger; and a job requests room for work once. If its plan turns out too small, it waits for more
 * only briefly and is then handed back.
 *
 * Sources and work each have a queue per account (account-lines.ts). Sources may arrive slowly and hold their
 * room meanwhile. An account that already holds room for sources gets more only if afterwards at least as
 * much is left free as it then holds. So no account can fill the sources' half, and the next account finds
 * room.
 */
import { MediaError } from '@audiosplit/engine/media-error';
import { createAccountLines } from './account-lines.ts';

export interface ScratchBudget {
  readonly limitBytes: number;
  reservedBytes(): number;
  /** The number of requests that wait for room. */
  waiting(): number;
  /**
   * Reserves room for a source. Rejects with OUTPUT_TOO_LARGE if it can never fit, and with the signal's
   * reason.
   */
  reserve(request: ScratchRequest, signal: AbortSignal): Promise<Reservation>;
}

export interface ScratchRequest {
  readonly accountId: string;
  /** 0: the source lies elsewhere. */
  readonly bytes: number;
}

/** Disposing it releases everything. */
export interface Reservation extends Disposable {
  /** Reserves room for work, `bytes` in total. Rejects like `reserve`, and with ScratchBusyError. */
  grow(bytes: number, signal: AbortSignal): Promise<void>;
  /** The source uses no more than `bytes`. */
  shrink(bytes: number): void;
}

/** A job needs more room than it has planned, and other jobs hold it. */
export class ScratchBusyError extends Error {
  override readonly name = 'ScratchBusyError';
}

interface BudgetOptions {
  readonly limitBytes: number;
  /** How long a job that holds room for work waits for more; default 30 s. */
  readonly maxGrowWaitMs?: number;
}

export function createScratchBudget({ limitBytes, maxGrowWaitMs = 30_000 }: BudgetOptions): ScratchBudget {
  const half = Math.floor(limitBytes / 2);
  /** Bytes of sources, by account. */
  const held = new Map<string, number>();
  let sourceBytes = 0;
  let workBytes = 0;
  const isFree = (bytes: number): boolean => sourceBytes + workBytes + bytes <= limitBytes;
  const sources = createAccountLines({
    fits: (bytes) => isFree(bytes) && (sourceBytes === 0 || sourceBytes + bytes <= half),
    exceedsShare(accountId, bytes) {
      const own = held.get(accountId) ?? 0;
      return own > 0 && bytes > 0 && own + bytes > half - sourceBytes - bytes;
    },
  });
  const work = createAccountLines({ fits: isFree, exceedsShare: () => false });

  /** Negative: given back. */
  function holdSource(accountId: string, bytes: number): void {
    sourceBytes += bytes;
    const own = (held.get(accountId) ?? 0) + bytes;
    if (own === 0) held.delete(accountId);
    else held.set(accountId, own);
  }

  function serve(): void {
    work.serve();
    sources.serve();
  }

  async function reserve({ accountId, bytes }: ScratchRequest, signal: AbortSignal): Promise<Reservation> {
    if (bytes > limitBytes) throw neverFits(bytes, limitBytes);
    await sources.enter(accountId, bytes, signal, () => holdSource(accountId, bytes));
    let ownSource = bytes;
    let ownWork = 0;
    // Requests still waiting at the end are rejected.
    const ended = new AbortController();
    return {
      async grow(total, growSignal) {
        const more = total - ownWork;
        if (more <= 0) return;
        const mostBytes = limitBytes - Math.max(ownSource, half);
        if (total > mostBytes) throw neverFits(total, mostBytes);
        const tooLong = new AbortController();
        const giveUp = () => tooLong.abort(new ScratchBusyError(`no room for ${more} bytes more`));
        const timer = ownWork === 0 ? undefined : setTimeout(giveUp, maxGrowWaitMs);
        try {
          await work.enter(
            accountId,
            more,
            AbortSignal.any([growSignal, tooLong.signal, ended.signal]),
            () => {
              workBytes += more;
              ownWork += more;
            },
          );
        } finally {
          clearTimeout(timer);
        }
      },
      shrink(total) {
        if (total >= ownSource) return;
        holdSource(accountId, total - ownSource);
        ownSource = total;
        serve();
      },
      [Symbol.dispose]() {
        ended.abort(new Error('the reservation has been given back'));
        holdSource(accountId, -ownSource);
        workBytes -= ownWork;
        ownSource = 0;
        ownWork = 0;
        serve();
      },
    };
  }

  return {
    limitBytes,
    reservedBytes: () => sourceBytes + workBytes,
    waiting: () => sources.length() + work.length(),
    reserve,
  };
}

function neverFits(plannedBytes: number, mostBytes: number): MediaError {
  return new MediaError(
    'OUTPUT_TOO_LARGE',
    `The job would hold ${Math.ceil(plannedBytes)} bytes at once; a worker has room for ${Math.floor(mostBytes)}.`,
  );
}
