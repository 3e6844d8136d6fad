import { setImmediate } from 'node:timers/promises';

/** Often enough for aborts, progress and the watchdog; seldom enough to cost nothing. */
const TURN_INTERVAL_MS = 20;

/**
 * For long work that awaits only what is at hand, which never lets the event loop turn: to be asked now and then, and
 * awaited where it gives a promise. How much work a byte makes is the source's choice, so time is what counts.
 */
export function createEventLoopYield(
  nowMs: () => number = () => performance.now(),
): () => Promise<void> | undefined {
  let dueAtMs = nowMs() + TURN_INTERVAL_MS;

  async function turn(): Promise<void> {
    await setImmediate();
    dueAtMs = nowMs() + TURN_INTERVAL_MS;
  }

  return () => (nowMs() < dueAtMs ? undefined : turn());
}
