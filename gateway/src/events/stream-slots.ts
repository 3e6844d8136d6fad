import { ApiError } from '../http/errors/api-error.ts';

interface Follower {
  readonly accountId: string;
  readonly address: string;
}

export interface StreamSlots {
  /** The highest number of streams of one account, or of one address. */
  readonly fullestAccount: number;
  readonly fullestAddress: number;
  /** Returns a function that releases the slot, once. Throws 429 TOO_MANY_STREAMS. */
  take(follower: Follower): () => void;
}

interface StreamBounds {
  readonly perAccount: number;
  readonly perAddress: number;
}

const RETRY_SECONDS = 10;

/** Limits the open streams on this gateway, per account and per address. */
export function createStreamSlots({ perAccount, perAddress }: StreamBounds): StreamSlots {
  const ofAccounts = new Map<string, number>();
  const ofAddresses = new Map<string, number>();
  return {
    get fullestAccount() {
      return Math.max(0, ...ofAccounts.values());
    },
    get fullestAddress() {
      return Math.max(0, ...ofAddresses.values());
    },
    take({ accountId, address }) {
      requireRoom(ofAccounts.get(accountId), perAccount, 'Your account');
      requireRoom(ofAddresses.get(address), perAddress, 'Your address');
      change(ofAccounts, accountId, 1);
      change(ofAddresses, address, 1);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        change(ofAccounts, accountId, -1);
        change(ofAddresses, address, -1);
      };
    },
  };
}

function requireRoom(open = 0, limit: number, whose: string): void {
  if (open < limit) return;
  throw new ApiError('TOO_MANY_STREAMS', `${whose} has ${limit} streams open: close one first.`, {
    retryAfterSeconds: RETRY_SECONDS,
  });
}

function change(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}
