/**
 * A transaction around a whole call, which the transactions within it join: their effects are committed
 * together with the call's response, or not at all.
 *
 * The first transaction that joins begins it, so a call holds no connection before it needs one. Each joined
 * transaction is a savepoint: it rolls back if it throws, and keeps its effects if it returns, even if the
 * call is refused later. Joined transactions must not overlap in time.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';

export interface JoinedTransaction {
  readonly pool: pg.Pool;
  /** True once the call has its response: background work that it left running no longer joins. */
  isOver(): boolean;
  join<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T>;
  /** For actions that must not happen before others can see the effect. */
  afterCommit(action: () => void): void;
  /** Commits the effects so far; what joins later is a new transaction. */
  commitEarly(): Promise<void>;
}

const storage = new AsyncLocalStorage<JoinedTransaction | undefined>();

/** The transaction that work on this pool must join. */
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

/** For work that commits independently of the call around it. */
export function runUnjoined<T>(work: () => T): T {
  return storage.run(undefined, work);
}

/**
 * Commits the effects of the running call so far, before it continues with something that requires them to be
 * visible, or that takes long. From then on the call must recognise its own repeats.
 */
export async function commitEarly(): Promise<void> {
  await runningTransaction()?.commitEarly();
}

/** Runs the action now, or after the commit of the transaction around the running call. */
export function afterCommit(action: () => void): void {
  const joined = runningTransaction();
  if (joined === undefined) action();
  else joined.afterCommit(action);
}
