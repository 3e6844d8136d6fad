/**
 * Queues of requests for a part of a pool, one per account. The accounts take turns, and an account's own
 * requests keep their order. No request overtakes the one whose turn it is, so that large ones are served as
 * well; a request that exceeds its account's share is skipped.
 */
interface QueuesOptions<Wanted> {
  readonly fits: (wanted: Wanted) => boolean;
  /** Absent: no request does. */
  readonly exceedsShare?: (accountId: string, wanted: Wanted) => boolean;
}

interface Waiting<Wanted> {
  readonly wanted: Wanted;
  readonly grant: () => void;
}

export function createAccountQueues<Wanted>({ fits, exceedsShare }: QueuesOptions<Wanted>) {
  /** The first account is served next. */
  const queues = new Map<string, Waiting<Wanted>[]>();

  const nextQueue = () =>
    queues
      .entries()
      .find(([accountId, [head]]) => head === undefined || exceedsShare?.(accountId, head.wanted) !== true);

  function serve(): void {
    for (let next = nextQueue(); next !== undefined; next = nextQueue()) {
      const [accountId, [head, ...rest]] = next;
      if (head !== undefined && !fits(head.wanted)) return;
      queues.delete(accountId);
      if (rest.length > 0) queues.set(accountId, rest);
      head?.grant();
    }
  }

  function leave(accountId: string, waiting: Waiting<Wanted>): void {
    const rest = queues.get(accountId)?.filter((other) => other !== waiting) ?? [];
    if (rest.length > 0) queues.set(accountId, rest);
    else queues.delete(accountId);
    serve();
  }

  return {
    serve,
    length: () => queues.values().reduce((sum, queue) => sum + queue.length, 0),
    /** Calls `take` when it is the request's turn and it fits. Rejects with the signal's reason. */
    async enter(accountId: string, wanted: Wanted, signal: AbortSignal, take: () => void): Promise<void> {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiting: Waiting<Wanted> = {
        wanted,
        grant() {
          take();
          resolve();
        },
      };
      queues.set(accountId, [...(queues.get(accountId) ?? []), waiting]);
      const giveUp = () => {
        leave(accountId, waiting);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        serve();
        await promise;
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
    },
  };
}
