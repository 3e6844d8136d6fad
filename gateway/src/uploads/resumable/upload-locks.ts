/**
 * Ensures that only one request at a time works on an upload in this gateway. A client that reconnects may
 * have an earlier request that still hangs; the new request ends that one and takes over. Between gateways
 * there is no lock: bytes are only added at the offset where the stored ones end (decision 64).
 */
import { ERRORS, type Lock, type Locker, type RequestRelease } from '@tus/server';

/** The maximum time that the earlier request may take to release the lock. */
const MAX_WAIT_MS = 10_000;

interface Holder {
  readonly release: RequestRelease;
  readonly released: Promise<void>;
}

export function createUploadLocks(maxWaitMs = MAX_WAIT_MS): Locker {
  const holders = new Map<string, Holder>();

  const newLock = (id: string): Lock => {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    return {
      async lock(signal, release) {
        const late = AbortSignal.timeout(maxWaitMs);
        for (let holder = holders.get(id); holder !== undefined; holder = holders.get(id)) {
          await holder.release();
          await Promise.race([holder.released, aborted(signal), aborted(late)]);
          if (signal.aborted) throw ERRORS.ABORTED;
          if (late.aborted) throw ERRORS.ERR_LOCK_TIMEOUT;
        }
        holders.set(id, { release, released });
      },
      async unlock() {
        holders.delete(id);
        resolve();
      },
    };
  };
  return { newLock };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
