import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns the seconds until `holds` is true; undefined after the timeout. Throws an error of `holds` at once.
 */
export async function secondsUntil(
  holds: () => boolean | Promise<boolean>,
  timeoutMs: number,
  everyMs = 250,
): Promise<number | undefined> {
  const startedMs = performance.now();
  while (!(await holds())) {
    if (performance.now() - startedMs > timeoutMs) return undefined;
    await sleep(everyMs);
  }
  return (performance.now() - startedMs) / 1_000;
}

export function inSeconds(seconds: number | undefined): string {
  return seconds === undefined ? 'not within the timeout' : `${seconds.toFixed(1)} s`;
}
