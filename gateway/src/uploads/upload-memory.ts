/**
 * Bounds the memory of all uploads of all accounts together. An upload is read only after its memory is
 * reserved. If the limit is reached, the newest upload of the account that holds the most memory is ended. If
 * no other account holds more, the new upload waits, and its body is not read meanwhile.
 */
import { createSharedBudget } from '../bounds/shared-budget.ts';
import { ApiError } from '../http/errors/api-error.ts';

/** Less than the time after which a connection that is not read counts as lost. */
const MAX_WAIT_MS = 30_000;

export interface UploadMemory {
  readonly usedBytes: number;
  /**
   * `onRevoked` is called if the memory is taken away for another account. Dispose the result to release the
   * memory. Throws SERVICE_UNAVAILABLE after MAX_WAIT_MS, and the signal's reason.
   */
  reserve(accountId: string, bytes: number, onRevoked: () => void, signal: AbortSignal): Promise<Disposable>;
  full(): ApiError;
}

export function createUploadMemory(limitBytes: number, maxWaitMs = MAX_WAIT_MS): UploadMemory {
  /** In the order of their arrival. */
  const waiting = new Set<() => void>();
  const budget = createSharedBudget({
    limitBytes,
    onFreed() {
      for (const retry of [...waiting]) retry();
    },
  });
  const full = () =>
    new ApiError(
      'SERVICE_UNAVAILABLE',
      `Uploads use all of the ${limitBytes} bytes of memory that they may use together. Send the file again.`,
    );

  return {
    get usedBytes() {
      return budget.usedBytes;
    },
    full,
    async reserve(accountId, bytes, onRevoked, signal) {
      signal.throwIfAborted();
      using stack = new DisposableStack();
      const share = stack.use(budget.open(accountId, onRevoked));
      if (!share.grow(bytes)) {
        const room = Promise.withResolvers<void>();
        const retry = () => {
          if (share.grow(bytes)) room.resolve();
        };
        const onAbort = () => room.reject(signal.reason);
        const timer = setTimeout(() => room.reject(full()), maxWaitMs);
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.add(retry);
        await room.promise.finally(() => {
          waiting.delete(retry);
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
        });
      }
      return stack.move();
    },
  };
}
