/**
 * Lets one request at a time work on an upload, in this gateway: a client that comes back after a break takes over from its
 * former request, which may hang. Between gateways bytes count once by the offset at which they are added (decision 64).
 */
import { ERRORS, type Lock, type Locker, type RequestRelease } from '@tus/server';

/** Of what the one before may take to let go. */
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
