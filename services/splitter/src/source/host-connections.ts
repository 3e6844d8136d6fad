import type { EnterHost } from '@audiosplit/chassis/egress/egress';
import { createSemaphore, type Semaphore } from '@audiosplit/chassis/semaphore';

/** Bounds the connections of each account to each host. Callers get theirs in the order in which they came. */
interface HostConnections {
  of(accountId: string): EnterHost;
}

export function createHostConnections(maxPerHost: number): HostConnections {
  interface Line {
    readonly semaphore: Semaphore;
    /** Callers that have a connection or wait for one. */
    members: number;
  }
  const lines = new Map<string, Line>();

  async function enter(key: string, signal: AbortSignal): Promise<Disposable> {
    const line = lines.get(key) ?? { semaphore: createSemaphore(maxPerHost), members: 0 };
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
  }

  return { of: (accountId) => (host, signal) => enter(`${accountId} ${host}`, signal) };
}
