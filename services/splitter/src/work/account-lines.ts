/**
 * Requests for bytes of a pool, in a row for each account. The accounts take turns, and an account's own requests keep their
 * order. Nothing overtakes the request whose turn it is, so that large ones come to theirs; a request that exceeds its
 * account's share has no turn.
 */
interface LinesOptions {
  readonly fits: (bytes: number) => boolean;
  readonly exceedsShare: (accountId: string, bytes: number) => boolean;
}

interface Waiting {
  readonly bytes: number;
  readonly grant: () => void;
}

export function createAccountLines({ fits, exceedsShare }: LinesOptions) {
  /** The first account is the next one. */
  const rows = new Map<string, Waiting[]>();

  const nextRow = () =>
    rows.entries().find(([accountId, [head]]) => head === undefined || !exceedsShare(accountId, head.bytes));

  function serve(): void {
    for (let next = nextRow(); next !== undefined; next = nextRow()) {
      const [accountId, [head, ...rest]] = next;
      if (head !== undefined && !fits(head.bytes)) return;
      rows.delete(accountId);
      if (rest.length > 0) rows.set(accountId, rest);
      head?.grant();
    }
  }

  function leave(accountId: string, waiting: Waiting): void {
    const rest = rows.get(accountId)?.filter((other) => other !== waiting) ?? [];
    if (rest.length > 0) rows.set(accountId, rest);
    else rows.delete(accountId);
    serve();
  }

  return {
    serve,
    length: () => rows.values().reduce((sum, row) => sum + row.length, 0),
    /** `take` is called in turn, as soon as `bytes` fit. */
    async enter(accountId: string, bytes: number, signal: AbortSignal, take: () => void): Promise<void> {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const waiting: Waiting = {
        bytes,
        grant() {
          take();
          resolve();
        },
      };
      rows.set(accountId, [...(rows.get(accountId) ?? []), waiting]);
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
