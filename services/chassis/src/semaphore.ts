/** Admits a bounded number of holders; the others wait in line. */
export interface Semaphore {
  /** Disposing the result releases it. */
  acquire(): Promise<AsyncDisposable>;
}

export function createSemaphore(limit: number): Semaphore {
  let free = limit;
  const waiting: (() => void)[] = [];
  const held: AsyncDisposable = {
    async [Symbol.asyncDispose]() {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
  return {
    async acquire() {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      return held;
    },
  };
}
