/**
 * Decides which jobs use the cores, and when another job may be claimed.
 *
 * A claimed job counts against the cores until it is known to wait for its source: for STARVED_MS after its
 * claim, or until it gives up its slot. It counts again from the moment it queues for a slot. So jobs with
 * fast sources are claimed as cores become free, and the rest stays in the queue for other workers; jobs that
 * wait for their sources block no others.
 */
import { createAccountPlaces, type Place } from './account-places.ts';

/** A job is starved once its engine has waited this long for bytes. */
export const STARVED_MS = 250;

export interface CoreTurns {
  /** For a job that is about to be claimed. Waits for room; rejects with the signal's reason. */
  admit(signal: AbortSignal): Promise<CoreTurn>;
  /** The number of jobs that may be claimed now. */
  room(): number;
  /** Slots in use. */
  busy(): number;
  /** Jobs that have input and wait for a slot. */
  waiting(): number;
}

/** A job's access to a slot. Disposing it releases the slot or leaves the queue. */
export interface CoreTurn extends Disposable {
  /** Waits in the account's queue unless it has a slot. */
  acquire(accountId: string, signal: AbortSignal): Promise<void>;
  isHeld(): boolean;
  giveUp(): void;
}

interface CoreTurnsOptions {
  readonly slots: number;
  /** Maximum of concurrent jobs, regardless of what they wait for. */
  readonly maxJobs: number;
  readonly onRoom: () => void;
}

export function createCoreTurns({ slots, maxJobs, onRoom }: CoreTurnsOptions): CoreTurns {
  const places = createAccountPlaces({ limit: slots });
  const turns = new Set<CoreTurn>();
  /** The turns that count against the cores. */
  const counting = new Set<CoreTurn>();
  const line: ((turn: CoreTurn) => void)[] = [];

  const room = () => Math.max(0, Math.min(slots - counting.size, maxJobs - turns.size));

  const noteRoom = () => {
    while (line.length > 0 && room() > 0) line.shift()?.(begin());
    if (room() > 0) onRoom();
  };

  function begin(): CoreTurn {
    const over = new AbortController();
    let place: Place | undefined;
    let acquiring: Promise<void> | undefined;
    const lineUp = async (accountId: string, signal: AbortSignal) => {
      clearTimeout(timer);
      counting.add(turn);
      try {
        place = await places.enter(accountId, AbortSignal.any([signal, over.signal]));
      } catch (error) {
        stopCounting();
        throw error;
      }
    };
    const stopCounting = () => {
      clearTimeout(timer);
      if (counting.delete(turn)) noteRoom();
    };
    const timer = setTimeout(() => stopCounting(), STARVED_MS);
    const turn: CoreTurn = {
      async acquire(accountId, signal) {
        if (place !== undefined) return;
        acquiring ??= lineUp(accountId, signal).finally(() => {
          acquiring = undefined;
        });
        await acquiring;
      },
      isHeld: () => place !== undefined,
      giveUp() {
        place?.[Symbol.dispose]();
        place = undefined;
        stopCounting();
      },
      [Symbol.dispose]() {
        over.abort(new Error('the job has ended'));
        turns.delete(turn);
        turn.giveUp();
        noteRoom();
      },
    };
    turns.add(turn);
    counting.add(turn);
    return turn;
  }

  return {
    async admit(signal) {
      signal.throwIfAborted();
      if (line.length === 0 && room() > 0) return begin();
      return await new Promise((resolve, reject) => {
        const onAbort = () => {
          line.splice(line.indexOf(proceed), 1);
          reject(signal.reason);
        };
        const proceed = (turn: CoreTurn) => {
          signal.removeEventListener('abort', onAbort);
          resolve(turn);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        line.push(proceed);
      });
    },
    room,
    busy: places.taken,
    waiting: places.waiting,
  };
}
