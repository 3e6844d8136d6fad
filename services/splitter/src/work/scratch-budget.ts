/**
 * The scratch space of a replica as a budget: a job reserves its planned space before it writes.
 *
 * A job reserves room for its source first, and room for its work (samples, segments) when its plan is made.
 * To prevent deadlocks, all sources together leave half of the budget for work, except that a single source
 * may be larger; and a job requests room for work once. If its plan turns out too small, it waits for more
 * only briefly and is then handed back.
 *
 * Sources and work each have a queue per account (account-queues.ts). An account that already holds room for
 * sources gets more only if afterwards at least as much is left free as it then holds. So no account can fill
 * the sources' half with several sources, and the next account finds room. A source that arrives slowly lends
 * what it does not need yet (source-room.ts); if it cannot have it back in time, its job is handed back.
 */
import { MediaError } from '@audiosplit/engine/media-error';
import { createAccountQueues } from './account-queues.ts';

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
  /** The source uses `bytes` for now; others may use the rest. */
  lend(bytes: number): void;
  /**
   * Takes lent room back, until the source has `bytes` or all of its room. Rejects with the signal's reason, and
   * with ScratchBusyError.
   */
  cover(bytes: number, signal: AbortSignal): Promise<void>;
}

/** A job needs more room than it has planned, and other jobs hold it. */
export class ScratchBusyError extends Error {
  override readonly name = 'ScratchBusyError';
}

interface BudgetOptions {
  readonly limitBytes: number;
  /** How long a job that has begun waits for more; default 30 s. */
  readonly maxGrowWaitMs?: number;
}

export function createScratchBudget({ limitBytes, maxGrowWaitMs = 30_000 }: BudgetOptions): ScratchBudget {
  const half = Math.floor(limitBytes / 2);
  /** Bytes of sources, by account. */
  const held = new Map<string, number>();
  let sourceBytes = 0;
  let workBytes = 0;
  const isFree = (bytes: number): boolean => sourceBytes + workBytes + bytes <= limitBytes;
  /** Whether an account with `own` bytes of sources would leave less to others than it holds. */
  const leavesTooLittle = (own: number, bytes: number): boolean => own + bytes > half - sourceBytes - bytes;
  const sources = createAccountQueues<number>({
    fits: (bytes) => isFree(bytes) && (sourceBytes === 0 || sourceBytes + bytes <= half),
    exceedsShare(accountId, bytes) {
      const own = held.get(accountId) ?? 0;
      return own > 0 && bytes > 0 && leavesTooLittle(own, bytes);
    },
  });
  const work = createAccountQueues<number>({ fits: isFree });
  /** `ownBytes`: what the source holds already. */
  const lent = createAccountQueues<{ readonly bytes: number; readonly ownBytes: number }>({
    fits: ({ bytes, ownBytes }) => isFree(bytes) && (sourceBytes === ownBytes || sourceBytes + bytes <= half),
    exceedsShare(accountId, { bytes, ownBytes }) {
      const own = held.get(accountId) ?? 0;
      return sources.length() > 0 && own > ownBytes && leavesTooLittle(own, bytes);
    },
  });

  /** Negative: given back. */
  function holdSource(accountId: string, bytes: number): void {
    sourceBytes += bytes;
    const own = (held.get(accountId) ?? 0) + bytes;
    if (own === 0) held.delete(accountId);
    else held.set(accountId, own);
  }

  function serve(): void {
    work.serve();
    lent.serve();
    sources.serve();
  }

  async function reserve({ accountId, bytes }: ScratchRequest, signal: AbortSignal): Promise<Reservation> {
    if (bytes > limitBytes) throw neverFits(bytes, limitBytes);
    await sources.enter(accountId, bytes, signal, () => holdSource(accountId, bytes));
    let ownSource = bytes;
    let wholeSource = bytes;
    let ownWork = 0;
    // Requests still waiting at the end are rejected.
    const ended = new AbortController();
    const waitFor = async (
      enter: (signal: AbortSignal) => Promise<void>,
      { isBounded, more, signal }: { isBounded: boolean; more: number; signal: AbortSignal },
    ) => {
      const tooLong = new AbortController();
      const giveUp = () => tooLong.abort(new ScratchBusyError(`no room for ${more} bytes more`));
      const timer = isBounded ? setTimeout(giveUp, maxGrowWaitMs) : undefined;
      try {
        await enter(AbortSignal.any([signal, tooLong.signal, ended.signal]));
      } finally {
        clearTimeout(timer);
      }
    };
    const holdOwn = (total: number) => {
      holdSource(accountId, total - ownSource);
      ownSource = total;
    };
    return {
      async grow(total, growSignal) {
        const more = total - ownWork;
        if (more <= 0) return;
        const mostBytes = limitBytes - Math.max(wholeSource, half);
        if (total > mostBytes) throw neverFits(total, mostBytes);
        const take = () => {
          workBytes += more;
          ownWork += more;
        };
        await waitFor((waiting) => work.enter(accountId, more, waiting, take), {
          isBounded: ownWork > 0,
          more,
          signal: growSignal,
        });
      },
      lend(total) {
        if (total >= ownSource) return;
        holdOwn(total);
        serve();
      },
      async cover(bytes, coverSignal) {
        const total = Math.min(bytes, wholeSource);
        const more = total - ownSource;
        if (more <= 0) return;
        const wanted = { bytes: more, ownBytes: ownSource };
        await waitFor((waiting) => lent.enter(accountId, wanted, waiting, () => holdOwn(total)), {
          isBounded: true,
          more,
          signal: coverSignal,
        });
      },
      shrink(total) {
        wholeSource = Math.min(wholeSource, total);
        if (total >= ownSource) return;
        holdOwn(total);
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
    waiting: () => sources.length() + work.length() + lent.length(),
    reserve,
  };
}

function neverFits(plannedBytes: number, mostBytes: number): MediaError {
  return new MediaError(
    'OUTPUT_TOO_LARGE',
    `The job would hold ${Math.ceil(plannedBytes)} bytes at once; a worker has room for ${Math.floor(mostBytes)}.`,
  );
}
