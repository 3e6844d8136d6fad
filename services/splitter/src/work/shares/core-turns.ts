/**
 * Decides which jobs use the cores, and when another job may be claimed.
 *
 * A claimed job counts against the cores until it is known to wait for its source: for STARVED_MS after its
 * claim, or until it gives up its slot. It counts again from the moment it queues for a slot. So jobs with
 * fast sources are claimed as cores become free, and the rest stays in the queue for other workers; jobs that
 * wait for their sources block no others.
 *
 * Accounts take turns at the cores while jobs are long: a job that has had its slot for TURN_MS passes it on at
 * its next pause, if an account waits that holds fewer slots. While such jobs have all slots, a job of an account
 * that has none running is claimed beside them, at most BESIDE_PER_SLOT for each slot. It begins at once, and the
 * next job that pauses gives way: at most one job more than there are slots runs, and only until then.
 */
import { createAccountPlaces, type Place } from './account-places.ts';

/** A job is starved once its engine has waited this long for bytes. */
export const STARVED_MS = 250;
/** How long a job keeps a slot that other accounts wait for. */
const TURN_MS = 50;
/** Bounds the engines that wait for their turn. */
const BESIDE_PER_SLOT = 2;

export interface CoreTurns {
  /** For a job that is about to be claimed. Waits for room; rejects with the signal's reason. */
  admit(signal: AbortSignal): Promise<CoreTurn>;
  /** The number of jobs that may be claimed now. */
  room(): number;
  /** For a job that is claimed beside those that have all slots. */
  admitBeside(): CoreTurn;
  /** 1 if such a job may be claimed now; 0 while a slot is free or has just been taken, or if one runs already. */
  roomBeside(): number;
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
  /** Without a slot it has no effect. */
  giveUp(): void;
  /**
   * For a job with a slot, where it can pause: passes the slot on if another account's turn has come, and waits
   * until it has one again.
   */
  pause(signal: AbortSignal): Promise<void>;
  /** Whether it has had its slot for TURN_MS. */
  hasHadTurn(): boolean;
}

interface CoreTurnsOptions {
  readonly slots: number;
  /** Maximum of concurrent jobs, regardless of what they wait for. */
  readonly maxJobs: number;
  readonly onRoom: () => void;
  /** A job has passed its slot on. */
  readonly onPassOn: () => void;
}

export function createCoreTurns({ slots, maxJobs, onRoom, onPassOn }: CoreTurnsOptions): CoreTurns {
  const places = createAccountPlaces({ limit: slots });
  const turns = new Set<CoreTurn>();
  /** Those that were begun without room. */
  const beside = new Set<CoreTurn>();
  /** The one of them that takes a slot as soon as it has input. */
  let starting: CoreTurn | undefined;
  /** The turns that count against the cores. */
  const counting = new Set<CoreTurn>();
  const line: ((turn: CoreTurn) => void)[] = [];

  const room = () => Math.max(0, Math.min(slots - counting.size, maxJobs - turns.size));

  const noteRoom = () => {
    while (line.length > 0 && room() > 0) line.shift()?.(begin());
    if (room() > 0) onRoom();
  };

  function begin(isBeside = false): CoreTurn {
    const over = new AbortController();
    let place: Place | undefined;
    let holder = '';
    let heldSinceMs = 0;
    let acquiring: Promise<void> | undefined;
    let passing: Promise<void> | undefined;
    const lineUp = async (accountId: string, signal: AbortSignal) => {
      clearTimeout(timer);
      counting.add(turn);
      const startsAtOnce = starting === turn;
      endStart();
      try {
        place = startsAtOnce
          ? places.enterBeside(accountId)
          : await places.enter(accountId, AbortSignal.any([signal, over.signal]));
        holder = accountId;
        heldSinceMs = performance.now();
      } catch (error) {
        stopCounting();
        throw error;
      }
    };
    const endStart = () => {
      if (starting === turn) starting = undefined;
    };
    const release = () => {
      place?.[Symbol.dispose]();
      place = undefined;
    };
    const stopCounting = () => {
      clearTimeout(timer);
      endStart();
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
        if (place === undefined) return;
        release();
        stopCounting();
      },
      async pause(signal) {
        const isDue = places.taken() > slots || places.isWantedFrom(holder);
        if (passing === undefined && isDue && turn.hasHadTurn()) {
          onPassOn();
          release();
          passing = turn.acquire(holder, signal).finally(() => {
            passing = undefined;
          });
        }
        await passing;
      },
      hasHadTurn: () => place !== undefined && performance.now() - heldSinceMs >= TURN_MS,
      [Symbol.dispose]() {
        over.abort(new Error('the job has ended'));
        turns.delete(turn);
        beside.delete(turn);
        release();
        stopCounting();
        noteRoom();
      },
    };
    turns.add(turn);
    if (isBeside) {
      beside.add(turn);
      starting = turn;
    }
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
    admitBeside: () => begin(true),
    room,
    roomBeside() {
      const fitsOne = starting === undefined && beside.size < BESIDE_PER_SLOT * slots && turns.size < maxJobs;
      const areLong = places.taken() === slots && turns.values().some((turn) => turn.hasHadTurn());
      return fitsOne && areLong ? 1 : 0;
    },
    busy: places.taken,
    waiting: places.waiting,
  };
}

/** For a wait of a job with a slot for something else: the slot is given up as when the job's engine starves. */
export async function withoutSlot<T>(
  {
    turn,
    accountId,
    signal,
  }: { readonly turn: CoreTurn; readonly accountId: string; readonly signal: AbortSignal },
  wait: () => Promise<T>,
): Promise<T> {
  // Repeated: a slot that the job has queued for may come during the wait.
  const timer = setInterval(turn.giveUp, STARVED_MS);
  try {
    return await wait();
  } finally {
    clearInterval(timer);
    await turn.acquire(accountId, signal);
  }
}
