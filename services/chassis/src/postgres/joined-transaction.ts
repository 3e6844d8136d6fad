/**
 * A transaction around a whole call, which the transactions within it join: what they do takes effect when the call's
 * answer has been written down, or not at all.
 *
 * It begins with the first one that joins, so that a call holds no connection before it needs one. Each joined one is a
 * savepoint: it takes back what it did where it throws, and stays where it returns, also if the call is refused later.
 * They must not overlap in time.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

export interface JoinedTransaction {
  readonly pool: pg.Pool;
  /** Once the call has its answer: what it has left running in the background is on its own. */
  isOver(): boolean;
  join<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  /** For what must not happen before others can see the effect. */
  afterCommit(action: () => void): void;
  /** Commits what there is so far; what joins later is a transaction of its own. */
  commitEarly(): Promise<void>;
}

const storage = new AsyncLocalStorage<JoinedTransaction | undefined>();

/** The one that work on this pool has to join. */
export function transactionToJoin(pool: pg.Pool): JoinedTransaction | undefined {
  const joined = runningTransaction();
  return joined?.pool === pool ? joined : undefined;
}

function runningTransaction(): JoinedTransaction | undefined {
  const joined = storage.getStore();
  return joined?.isOver() === true ? undefined : joined;
}

export function runJoined<T>(transaction: JoinedTransaction, work: () => T): T {
  return storage.run(transaction, work);
}

/** For work that commits on its own, whatever becomes of the call around it. */
export function runUnjoined<T>(work: () => T): T {
  return storage.run(undefined, work);
}

/**
 * Makes what the running call has done so far visible before it goes on to something that must not happen otherwise,
 * or that takes long. From then on the call has to recognise its own repeats.
 */
export async function commitEarly(): Promise<void> {
  await runningTransaction()?.commitEarly();
}

/** At once, or once the transaction around the running call has committed. */
export function afterCommit(action: () => void): void {
  const joined = runningTransaction();
  if (joined === undefined) action();
  else joined.afterCommit(action);
}
