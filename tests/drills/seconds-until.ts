import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 250;

/** Seconds until it holds; undefined after the timeout. An error of `holds` is thrown at once. */
export async function secondsUntil(
  holds: () => boolean | Promise<boolean>,
  timeoutMs: number,
): Promise<number | undefined> {
  const startedMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedMs > timeoutMs) return undefined;
    await sleep(LOOK_EVERY_MS);
  }
  return (performance.now() - startedMs) / 1_000;
}

export function inSeconds(seconds: number | undefined): string {
  return seconds === undefined ? 'not within the timeout' : `${seconds.toFixed(1)} s`;
}
