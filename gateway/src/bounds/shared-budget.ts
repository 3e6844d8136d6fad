/**
 * A number of bytes shared by many owners, such as accounts or addresses. Shares grow until the budget is
 * full. Then the owner with the most loses its newest share. If that owner is the one that requests more, the
 * request is refused.
 */
export interface SharedBudget {
  readonly limitBytes: number;
  readonly usedBytes: number;
  /** The size of the largest share. */
  readonly fullestShareBytes: number;
  /** `onRevoked` is called once, when the share is taken away. */
  open(owner: string, onRevoked: () => void): Share;
}

export interface Share extends Disposable {
  /** False if the budget is full and no other owner holds more. */
  grow(bytes: number): boolean;
}

interface HeldShare {
  readonly onRevoked: () => void;
  bytes: number;
}

interface Owner {
  /** The newest share is the last. */
  readonly shares: Set<HeldShare>;
  bytes: number;
}

interface SharedBudgetOptions {
  readonly limitBytes: number;
  /** Called when bytes are released. */
  readonly onFreed?: () => void;
}

export function createSharedBudget({ limitBytes, onFreed }: SharedBudgetOptions): SharedBudget {
  const owners = new Map<string, Owner>();
  let usedBytes = 0;

  const release = (name: string, owner: Owner, share: HeldShare): boolean => {
    if (!owner.shares.delete(share)) return false;
    usedBytes -= share.bytes;
    owner.bytes -= share.bytes;
    if (owner.shares.size === 0) owners.delete(name);
    return share.bytes > 0;
  };
  const fullest = () => {
    let found: readonly [string, Owner] | undefined;
    for (const entry of owners) if (found === undefined || entry[1].bytes > found[1].bytes) found = entry;
    return found;
  };
  /** False if no other owner holds more than `bytes` would be. */
  const makeRoom = (bytes: number): boolean => {
    const [name, owner] = fullest() ?? [];
    if (name === undefined || owner === undefined || owner.bytes <= bytes) return false;
    const newest = [...owner.shares].findLast((share) => share.bytes > 0);
    if (newest === undefined) return false;
    release(name, owner, newest);
    newest.onRevoked();
    return true;
  };

  return {
    limitBytes,
    get usedBytes() {
      return usedBytes;
    },
    get fullestShareBytes() {
      let most = 0;
      for (const { shares } of owners.values()) for (const { bytes } of shares) most = Math.max(most, bytes);
      return most;
    },
    open(name, onRevoked) {
      const owner = owners.get(name) ?? { shares: new Set(), bytes: 0 };
      owners.set(name, owner);
      const share: HeldShare = { onRevoked, bytes: 0 };
      owner.shares.add(share);
      return {
        grow(bytes) {
          if (!owner.shares.has(share)) return false;
          let hasMadeRoom = false;
          while (usedBytes + bytes > limitBytes) {
            if (!makeRoom(owner.bytes + bytes)) return false;
            hasMadeRoom = true;
          }
          // More bytes may have been released than are taken here.
          if (hasMadeRoom && onFreed !== undefined) queueMicrotask(onFreed);
          share.bytes += bytes;
          owner.bytes += bytes;
          usedBytes += bytes;
          return true;
        },
        [Symbol.dispose]() {
          if (release(name, owner, share)) onFreed?.();
        },
      };
    },
  };
}
