/**
 * The scratch space of a replica as a budget: a job reserves what it plans to hold before it writes it.
 *
 * A job takes room for its source first, and room for its work (samples, segments) when its plan is made. So that no two
 * jobs wait for what the other holds, sources together leave half of the budget to work, but for one that is larger and
 * then is the only one, and a job asks for work once. Where its plan turns out too small it waits for more only a short
 * time, and is handed back then.
 *
 * Sources and work each have a line for every account: accounts take turns, an account's own requests keep their order,
 * and nothing overtakes the request whose turn it is.
 */
import { MediaError } from '@audiosplit/engine/media-error';
import type { ScratchRoom } from '@audiosplit/engine/output/scratch-room';

export interface ScratchBudget {
  readonly limitBytes: number;
  reservedBytes(): number;
  /** Requests that wait for room. */
  waiting(): number;
  /** Room for a source. Rejects with OUTPUT_TOO_LARGE where it can never fit, and with the signal's reason. */
  reserve(request: ScratchRequest, signal: AbortSignal): Promise<Reservation>;
}

export interface ScratchRequest {
  readonly accountId: string;
  /** 0: the source lies elsewhere. */
  readonly bytes: number;
}

/** Disposing it gives all of it back. */
export interface Reservation extends Disposable {
  /** Room for work, of `bytes` in all. Rejects as `reserve`, and with ScratchBusyError. */
  grow(bytes: number, signal: AbortSignal): Promise<void>;
  /** The source takes no more than `bytes`. */
  shrink(bytes: number): void;
}

/** A job needs more room than it has planned, and others hold it. */
export class ScratchBusyError extends Error {
  override readonly name = 'ScratchBusyError';
}

interface BudgetOptions {
  readonly limitBytes: number;
  /** How long a job that holds room for work waits for more; default 30 s. */
  readonly maxGrowWaitMs?: number;
}

interface Waiting {
  readonly bytes: number;
  readonly grant: () => void;
}

export function createScratchBudget({ limitBytes, maxGrowWaitMs = 30_000 }: BudgetOptions): ScratchBudget {
  const half = Math.floor(limitBytes / 2);
  let sourceBytes = 0;
  let workBytes = 0;
  const isFree = (bytes: number): boolean => sourceBytes + workBytes + bytes <= limitBytes;
  const sources = createLine((bytes) => isFree(bytes) && (sourceBytes === 0 || sourceBytes + bytes <= half));
  const work = createLine(isFree);

  function serve(): void {
    work.serve();
    sources.serve();
  }

  async function reserve({ accountId, bytes }: ScratchRequest, signal: AbortSignal): Promise<Reservation> {
    if (bytes > limitBytes) throw neverFits(bytes, limitBytes);
    await sources.enter(accountId, bytes, signal, () => {
      sourceBytes += bytes;
    });
    let ownSource = bytes;
    let ownWork = 0;
    // What still waits then gets nothing.
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
        sourceBytes -= ownSource - total;
        ownSource = total;
        serve();
      },
      [Symbol.dispose]() {
        ended.abort(new Error('the reservation has been given back'));
        sourceBytes -= ownSource;
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

/** As the engine asks for it. */
export function scratchRoomOf(
  { scratchShareBytes: shareBytes }: { readonly scratchShareBytes: number },
  reservation: Reservation,
  signal: AbortSignal,
): ScratchRoom {
  return { shareBytes, reserve: (bytes) => reservation.grow(bytes, signal) };
}

function neverFits(plannedBytes: number, mostBytes: number): MediaError {
  return new MediaError(
    'OUTPUT_TOO_LARGE',
    `The job would hold ${Math.ceil(plannedBytes)} bytes at once; a worker has room for ${Math.floor(mostBytes)}.`,
  );
}

/** A row of requests for each account; the accounts take turns. */
function createLine(fits: (bytes: number) => boolean) {
  /** The first account is the next one. */
  const rows = new Map<string, Waiting[]>();

  function serve(): void {
    for (let [next] = rows; next !== undefined; [next] = rows) {
      const [accountId, [head, ...rest]] = next;
      if (head !== undefined && !fits(head.bytes)) return;
      rows.delete(accountId);
      if (rest.length > 0) rows.set(accountId, rest);
      head?.grant();
    }
  }

  function leave(accountId: string, waiting: Waiting): void {
    const rest = rows.get(accountId)?.filter((other) => other !== waiting) ?? [];
    if (rest.length > 0) rows.set(accountId, rest);
    else rows.delete(accountId);
    serve();
  }

  return {
    serve,
    length: () => rows.values().reduce((sum, row) => sum + row.length, 0),
    /** `take` is called in turn, as soon as `bytes` fit. */
    async enter(accountId: string, bytes: number, signal: AbortSignal, take: () => void): Promise<void> {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiting: Waiting = {
        bytes,
        grant() {
          take();
          resolve();
        },
      };
      rows.set(accountId, [...(rows.get(accountId) ?? []), waiting]);
      const giveUp = () => {
        leave(accountId, waiting);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        serve();
        await promise;
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
    },
  };
}
