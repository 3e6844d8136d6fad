/**
 * The memory that uploads hold, of all accounts together. An upload is read once its part is reserved. Where there is none
 * the account that holds most gives way, or else the upload waits, unread.
 */
import { createSharedBudget } from '../bounds/shared-budget.ts';
import { ApiError } from '../http/errors/api-error.ts';

/** Less than after what an unread connection counts as gone. */
const MAX_WAIT_MS = 30_000;

export interface UploadMemory {
  readonly usedBytes: number;
  /** Dispose the result to give it back. Throws SERVICE_UNAVAILABLE after MAX_WAIT_MS, and the signal's reason. */
  reserve(accountId: string, bytes: number, giveWay: () => void, signal: AbortSignal): Promise<Disposable>;
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
      `Uploads hold ${limitBytes} bytes of memory at the moment, the most there may be: send the file again.`,
    );

  return {
    get usedBytes() {
      return budget.usedBytes;
    },
    full,
    async reserve(accountId, bytes, giveWay, signal) {
      signal.throwIfAborted();
      using stack = new DisposableStack();
      const share = stack.use(budget.open(accountId, giveWay));
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
