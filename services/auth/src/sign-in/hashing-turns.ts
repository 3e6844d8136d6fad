/**
 * Bounds how many passwords are hashed at the same time: each takes a core for some 30 ms and 19 MiB of memory, and
 * callers of many addresses, each within its limits, could keep all cores busy. A caller (IPv4 address, IPv6 /64) has
 * one turn at a time, so one that sends many delays itself first. Throws UnavailableError after MAX_WAIT_MS.
 */
import { UnavailableError } from '@audiosplit/chassis/errors';
import { createKeyedSemaphore } from '@audiosplit/chassis/keyed-semaphore';
import { networkOf } from '@audiosplit/chassis/net/client-network';
import { createSemaphore } from '@audiosplit/chassis/semaphore';

const MAX_WAIT_MS = 3_000;

export interface HashingTurns {
  taken(): number;
  take<T>(clientIp: string, work: () => Promise<T>): Promise<T>;
}

export function createHashingTurns(limit: number): HashingTurns {
  const ofCallers = createKeyedSemaphore(1);
  const shared = createSemaphore(limit);
  return {
    taken: () => limit - shared.free(),
    async take(clientIp, work) {
      const signal = AbortSignal.timeout(MAX_WAIT_MS);
      const waited = (error: unknown) => {
        throw signal.aborted ? new UnavailableError(error) : error;
      };
      using _own = await ofCallers.acquire(networkOf(clientIp), signal).catch(waited);
      using _place = await shared.acquire(signal).catch(waited);
      return await work();
    },
  };
}
