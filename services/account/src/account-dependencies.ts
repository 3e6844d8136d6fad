import type { Clock } from '@audiosplit/chassis/clock';
import type { Pool, Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Account } from './account.ts';

/** What the verbs of the service have in common. */
export interface AccountDependencies {
  readonly pool: Pool;
  readonly clock: Clock;
  /** After a commit that has put events into the outbox. */
  readonly wakeRelay: () => void;
  /** Has work done as soon as the transaction commits instead of at its next time. */
  readonly queueTask: (db: Queryable, task: Task) => Promise<void>;
  /** The account, asking auth where its registration has not arrived; undefined for one that nobody knows. */
  readonly findHolder: (accountId: string) => Promise<Account | undefined>;
}

export type Task = 'send-mails' | 'make-exports';
