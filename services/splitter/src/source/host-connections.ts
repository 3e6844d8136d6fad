import type { EnterHost } from '@audiosplit/chassis/egress/egress';
import { createSlots, type Slots } from '../slots.ts';

/** Bounds the connections of each account to each host; what waits for one keeps its order. */
export interface HostConnections {
  of(accountId: string): EnterHost;
}

export function createHostConnections(maxPerHost: number): HostConnections {
  interface Line {
    readonly slots: Slots;
    /** Those that have a connection, and those that wait for one. */
    members: number;
  }
  const lines = new Map<string, Line>();

  async function enter(key: string, signal: AbortSignal): Promise<Disposable> {
    const line = lines.get(key) ?? { slots: createSlots(maxPerHost), members: 0 };
    lines.set(key, line);
    line.members += 1;
    const leave = () => {
      line.members -= 1;
      if (line.members === 0) lines.delete(key);
    };
    try {
      await line.slots.take(signal);
    } catch (error) {
      leave();
      throw error;
    }
    return {
      [Symbol.dispose]() {
        line.slots.give();
        leave();
      },
    };
  }

  return { of: (accountId) => (host, signal) => enter(`${accountId} ${host}`, signal) };
}
