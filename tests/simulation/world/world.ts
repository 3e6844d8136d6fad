/**
 * The time and the order of everything in one run: a queue of events, one of which happens at a time. An
 * event is a timer of the code under test, or the arrival of a call at a port. Between two events the code
 * runs until no promise, query or file operation is pending (`settle`): the order comes only from the times
 * of the events, which are drawn from the seed.
 *
 * An event belongs to the process that scheduled it, and does not happen if that process is dead. Time passes
 * only from one event to the next, or by a leap, after which everything that was due happens late, as on a
 * machine that was asleep.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import type { Random } from '../../harness/random.ts';
import { currentProcess, type SimulatedProcess } from './process.ts';

export interface WorldEvent {
  atMs: number;
  readonly order: number;
  readonly owner: SimulatedProcess | undefined;
  readonly happen: () => void;
  canceled: boolean;
}

export type World = ReturnType<typeof createWorld>;

const REAL_IMMEDIATE = setImmediate;
const RECENT_LINES = 60;

export function createWorld(random: Random, startMs: number) {
  const queue: WorldEvent[] = [];
  const hash = createHash('sha256');
  const recent: string[] = [];
  let nowMs = startMs;
  let order = 0;
  let inFlight = 0;
  let onRest: (() => void) | undefined;

  const push = (owner: SimulatedProcess | undefined, delayMs: number, happen: () => void) => {
    const event: WorldEvent = {
      atMs: nowMs + Math.max(0, delayMs),
      order: order++,
      owner,
      happen: AsyncLocalStorage.bind(happen),
      canceled: false,
    };
    insertSorted(queue, event);
    return event;
  };

  async function settle(): Promise<void> {
    do {
      if (inFlight > 0) {
        await new Promise<void>((resolve) => {
          onRest = resolve;
        });
      }
      await new Promise<void>((resolve) => REAL_IMMEDIATE(resolve));
    } while (inFlight > 0 || hasFileOperations());
  }

  return {
    random,
    nowMs: () => nowMs,
    /** The time on the running process's clock. */
    clockMs: () => nowMs + (currentProcess()?.clockSkewMs ?? 0),
    leap(ms: number) {
      nowMs += ms;
    },
    /** On behalf of the running process, and in its async context. */
    schedule: (delayMs: number, happen: () => void) => push(currentProcess(), delayMs, happen),
    /** On behalf of no process. */
    scheduleAnyway: (delayMs: number, happen: () => void) => push(undefined, delayMs, happen),
    delay: (ms: number) => new Promise<void>((resolve) => push(currentProcess(), ms, resolve)),
    delayAnyway: (ms: number) => new Promise<void>((resolve) => push(undefined, ms, resolve)),
    /** Real work outside the queue; the next event waits for it. */
    async track<T>(work: Promise<T>) {
      inFlight += 1;
      try {
        return await work;
      } finally {
        inFlight -= 1;
        if (inFlight === 0) {
          onRest?.();
          onRest = undefined;
        }
      }
    },
    /** Runs the next event and lets the code come to rest. False if there is no event. */
    async step() {
      for (;;) {
        const event = queue.pop();
        if (event === undefined) return false;
        if (event.canceled || event.owner?.isAlive() === false) continue;
        nowMs = Math.max(nowMs, event.atMs);
        const frozenUntilMs = event.owner?.frozenUntilMs() ?? 0;
        if (frozenUntilMs > nowMs) {
          event.atMs = frozenUntilMs;
          insertSorted(queue, event);
          continue;
        }
        event.happen();
        await settle();
        return true;
      }
    },
    settle,
    /** Adds a line to the input of the run's hash. */
    record(line: string) {
      const entry = `${nowMs - startMs} ${currentProcess()?.name ?? '-'} ${line}`;
      hash.update(entry).update('\n');
      recent.push(entry);
      if (recent.length > RECENT_LINES) recent.shift();
    },
    traceHash: () => hash.copy().digest('hex').slice(0, 16),
    /** The last lines, for a failure's report. */
    recentTrace: (): readonly string[] => recent,
  };
}

/** Sorted with the latest event first, so that the next event is popped off the end. */
function insertSorted(queue: WorldEvent[], event: WorldEvent): void {
  let low = 0;
  let high = queue.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = queue[middle];
    if (
      other !== undefined &&
      (other.atMs > event.atMs || (other.atMs === event.atMs && other.order > event.order))
    )
      low = middle + 1;
    else high = middle;
  }
  queue.splice(low, 0, event);
}

function hasFileOperations(): boolean {
  return process.getActiveResourcesInfo().some((name) => /^FSReq|CLOSEREQ$/i.test(name));
}
