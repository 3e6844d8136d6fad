import { createSemaphore, type Semaphore } from './semaphore.ts';

/** A semaphore per key. Callers of a key acquire it in the order in which they called. */
export interface KeyedSemaphore {
  acquire(key: string, signal?: AbortSignal): Promise<Disposable>;
}

export function createKeyedSemaphore(limitOfEach: number): KeyedSemaphore {
  interface Line {
    readonly semaphore: Semaphore;
    /** Callers that hold the semaphore or wait for it. */
    members: number;
  }
  const lines = new Map<string, Line>();

  return {
    async acquire(key, signal) {
      const line = lines.get(key) ?? { semaphore: createSemaphore(limitOfEach), members: 0 };
      lines.set(key, line);
      line.members += 1;
      const leave = () => {
        line.members -= 1;
        if (line.members === 0) lines.delete(key);
      };
      let held: Disposable;
      try {
        held = await line.semaphore.acquire(signal);
      } catch (error) {
        leave();
        throw error;
      }
      return {
        [Symbol.dispose]() {
          held[Symbol.dispose]();
          leave();
        },
      };
    },
  };
}
