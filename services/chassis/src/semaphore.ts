/** Admits a bounded number of holders; others queue. */
export interface Semaphore {
  free(): number;
  /** Disposing the result releases the semaphore. Rejects with the signal's reason. */
  acquire(signal?: AbortSignal): Promise<Disposable>;
}

export function createSemaphore(limit: number): Semaphore {
  let free = limit;
  const waiting: (() => void)[] = [];
  const held: Disposable = {
    [Symbol.dispose]() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
  return {
    free: () => free,
    async acquire(signal) {
      signal?.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return held;
      }
      await new Promise<void>((resolve, reject) => {
        const onAbort = () => {
          waiting.splice(waiting.indexOf(proceed), 1);
          reject(signal?.reason);
        };
        const proceed = () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        waiting.push(proceed);
      });
      return held;
    },
  };
}
