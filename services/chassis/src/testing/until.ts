import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 5;

/**
 * Waits for what happens in the background, such as the effect of an event. Fails with `what` once
 * `timeoutMs` are over; what the condition throws is thrown at once.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what = 'the awaited condition',
  timeoutMs = 30_000,
): Promise<void> {
  const deadlineMs = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadlineMs) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await delay(POLL_MS);
  }
}
