import { EngineThreadError } from './engine-thread-error.ts';
import { VITALS } from './protocol.ts';
import type { ThreadLimits } from './thread-limits.ts';

/**
 * Number of checks within `hungAfterMs`. Missed checks are counted instead of time, because a process that
 * was suspended has missed only one.
 */
const CHECKS = 10;
/** Ticks of the thread between two checks of the host. */
const TICKS_PER_CHECK = 2;

export function tickIntervalOf({ hungAfterMs }: ThreadLimits): number {
  return Math.ceil(hungAfterMs / CHECKS / TICKS_PER_CHECK);
}

/** Watches a working thread, and calls `end` when it is unresponsive or uses too much memory. */
export function watchVitals(
  vitals: Int32Array,
  limits: ThreadLimits,
  end: (error: EngineThreadError) => void,
): Disposable {
  const { hungAfterMs, maxBufferMb } = limits;
  let seenTicks = Atomics.load(vitals, VITALS.ticks);
  let missedChecks = 0;
  const timer = setInterval(() => {
    const ticks = Atomics.load(vitals, VITALS.ticks);
    const bufferMb = Atomics.load(vitals, VITALS.bufferKib) / 1024;
    missedChecks = ticks === seenTicks ? missedChecks + 1 : 0;
    seenTicks = ticks;
    if (missedChecks >= CHECKS) {
      end(new EngineThreadError('hung', `its event loop stood still for ${hungAfterMs} ms`));
    } else if (bufferMb > maxBufferMb) {
      const held = `${Math.round(bufferMb)} MB in array buffers, more than ${maxBufferMb}`;
      end(new EngineThreadError('out-of-memory', held));
    }
  }, hungAfterMs / CHECKS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
