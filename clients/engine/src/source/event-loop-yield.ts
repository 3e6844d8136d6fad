import { setImmediate } from 'node:timers/promises';

/** Often enough for aborts, progress and the watchdog; seldom enough to cost nothing. */
const TURN_INTERVAL_MS = 20;

/**
 * Lets the event loop turn during long work without waits. Call the returned function often, and await the
 * promise that it returns after 20 ms. It counts time, not bytes, because the work per byte depends on the
 * source.
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
