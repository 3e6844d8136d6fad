import { ApiError } from '../http/errors/api-error.ts';

interface StreamSlots {
  /** Returns a function that releases the slot, once. Throws 429 TOO_MANY_STREAMS. */
  take(accountId: string): () => void;
}

const RETRY_SECONDS = 10;

/** Limits the open streams per account on this gateway. */
export function createStreamSlots(maxPerAccount: number): StreamSlots {
  const takenBy = new Map<string, Set<symbol>>();
  return {
    take(accountId) {
      const taken = takenBy.get(accountId) ?? new Set();
      if (taken.size >= maxPerAccount) {
        throw new ApiError(
          'TOO_MANY_STREAMS',
          `Your account has ${taken.size} streams open: close one first.`,
          {
            retryAfterSeconds: RETRY_SECONDS,
          },
        );
      }
      const place = Symbol(accountId);
      takenBy.set(accountId, taken.add(place));
      return () => {
        taken.delete(place);
        if (taken.size === 0 && takenBy.get(accountId) === taken) takenBy.delete(accountId);
      };
    },
  };
}
