/**
 * The transaction of one call with an idempotency key. The first transaction that joins it begins it and
 * takes the key's lock: of several calls with the same key, one continues. In the other calls every further
 * attempt fails with the same error, so a method that catches the error does not continue without the lock.
 */
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type pg from 'pg';
import type { Clock } from '../clock.ts';
import { ServiceError } from '../errors.ts';
import type { JoinedTransaction } from '../postgres/joined-transaction.ts';
import { sendAhead, sendCommit } from '../postgres/pool.ts';
import type { Semaphore } from '../semaphore.ts';
import type { IdempotencyKey } from './idempotency-key.ts';
import { findAnswer, type StoredAnswer, storeAnswer, tryLockKey } from './store.ts';

interface CallTransaction extends JoinedTransaction, AsyncDisposable {
  /** Stores the response and commits. Throws FoundAnswer, KeyInProgressError. */
  commit(answer: Buffer): Promise<void>;
  /** Rolls back what has not been committed early. Throws FoundAnswer, KeyInProgressError. */
  giveUp(): Promise<void>;
}

interface CallTransactionOptions {
  readonly pool: pg.Pool;
  /** Acquired for as long as the call holds a connection. */
  readonly semaphore: Semaphore;
  readonly clock: Clock;
  readonly key: IdempotencyKey;
  readonly method: string;
}

const LIFETIME_MS = 24 * 3_600_000;

export function createCallTransaction(options: CallTransactionOptions): CallTransaction {
  const { pool, clock, key, method } = options;
  let begun: Promise<OpenTransaction> | undefined;
  let actions: (() => void)[] = [];
  let isOver = false;

  const begin = () => {
    begun ??= openWithKey(options);
    return begun;
  };

  async function end(): Promise<void> {
    await (await begun)?.commit();
    begun = undefined;
    const committed = actions;
    actions = [];
    for (const action of committed) action();
  }

  return {
    pool,
    isOver: () => isOver,
    async join(work) {
      const { client } = await begin();
      void sendAhead(client, 'savepoint joined');
      try {
        const result = await work(client);
        await client.query('release savepoint joined');
        return result;
      } catch (error) {
        await client.query('rollback to savepoint joined; release savepoint joined');
        throw error;
      }
    },
    afterCommit(action) {
      actions.push(action);
    },
    commitEarly: end,
    async commit(answer) {
      isOver = true;
      const { client } = await begin();
      const now = clock();
      const expiresAt = new Date(now.getTime() + LIFETIME_MS);
      await storeAnswer(client, key, { method, answer, now, expiresAt });
      await end();
    },
    async giveUp() {
      isOver = true;
      await (await begun)?.[Symbol.asyncDispose]();
    },
    async [Symbol.asyncDispose]() {
      isOver = true;
      const open = await begun?.catch(() => undefined);
      await open?.[Symbol.asyncDispose]();
    },
  };
}

async function openWithKey({
  pool,
  semaphore,
  clock,
  key,
}: CallTransactionOptions): Promise<OpenTransaction> {
  await using opening = new AsyncDisposableStack();
  const open = opening.use(await openTransaction(pool, semaphore));
  const [isLocked, stored] = await Promise.all([
    tryLockKey(open.client, key),
    findAnswer(open.client, key, clock()),
  ]);
  if (!isLocked) throw new KeyInProgressError();
  if (stored !== undefined) throw new FoundAnswer(stored);
  opening.move();
  return open;
}

/** Rolled back on disposal unless it has been committed. */
interface OpenTransaction extends AsyncDisposable {
  readonly client: pg.PoolClient;
  commit(): Promise<void>;
}

async function openTransaction(pool: pg.Pool, semaphore: Semaphore): Promise<OpenTransaction> {
  await using opening = new AsyncDisposableStack();
  opening.use(await semaphore.acquire());
  const client = await pool.connect();
  let isCommitted = false;
  opening.defer(async () => {
    const isSound =
      isCommitted ||
      (await client.query('rollback').then(
        () => true,
        () => false,
      ));
    client.release(!isSound);
  });
  void sendAhead(client, 'begin');
  const held = opening.move();
  return {
    client,
    async commit() {
      await sendCommit(client);
      isCommitted = true;
      await held.disposeAsync();
    },
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
}

/** Another call with the key was faster. Not an error; it never leaves this folder. */
export class FoundAnswer extends Error {
  readonly stored: StoredAnswer;
  constructor(stored: StoredAnswer) {
    super('the call has been answered meanwhile');
    this.stored = stored;
  }
}

class KeyInProgressError extends ServiceError {
  override readonly name = 'KeyInProgressError';
  constructor() {
    super(
      Reason.IDEMPOTENCY_IN_PROGRESS,
      'The first request with this Idempotency-Key is still being worked on; repeat this one shortly.',
    );
  }
}
