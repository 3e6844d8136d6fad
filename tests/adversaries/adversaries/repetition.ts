/** Attacks consist of actions that are repeated until they are stopped. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface Repetition extends AsyncDisposable {
  readonly signal: AbortSignal;
}

/** Runs this many loops of `act`, which continue after errors; disposing waits for the last iterations. */
export function repeat(
  loops: number,
  pauseMs: number,
  act: (loop: number, signal: AbortSignal) => Promise<void>,
): Repetition {
  const ending = new AbortController();
  const { signal } = ending;
  const running = Array.from({ length: loops }, async (_, loop) => {
    while (!signal.aborted) {
      await act(loop, signal).catch(() => undefined);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  });
  return {
    signal,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await Promise.all(running);
    },
  };
}

/** How often each value occurred, as `3 x 201, 5 x 429`. */
export function createTally() {
  const counts = new Map<string, number>();
  return {
    add(what: string | number, count = 1) {
      if (count > 0) counts.set(String(what), (counts.get(String(what)) ?? 0) + count);
    },
    toString: () =>
      [...counts]
        .sort(([one], [other]) => one.localeCompare(other))
        .map(([what, count]) => `${count} x ${what}`)
        .join(', ') || 'nothing',
  };
}
