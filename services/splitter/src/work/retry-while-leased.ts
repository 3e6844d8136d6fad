import { setTimeout as sleep } from 'node:timers/promises';
import { leaseLossOf } from './lease/lease.ts';

/** Retries a call as long as the lease may be valid. Throws LeaseLostError. */
export async function retryWhileLeased(call: () => Promise<unknown>, leaseMs: number): Promise<void> {
  const deadline = performance.now() + leaseMs;
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2_000)) {
    try {
      await call();
      return;
    } catch (error) {
      const loss = leaseLossOf(error);
      if (loss !== undefined) throw loss;
      if (performance.now() + pauseMs > deadline) throw error;
    }
    await sleep(pauseMs);
  }
}
