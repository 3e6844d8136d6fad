import type { Clock } from '@audiosplit/chassis/clock';
import type { Pool, Queryable } from '@audiosplit/chassis/postgres/pool';
import type { Account } from './account.ts';
import type { QueueMail } from './mail/queued-mail.ts';

/** Shared by the use cases of the service. */
export interface AccountDependencies {
  readonly pool: Pool;
  readonly clock: Clock;
  /** Called after a commit that added events to the outbox. */
  readonly wakeRelay: () => void;
  /** Runs a periodic task as soon as the transaction commits. */
  readonly queueTask: (db: Queryable, task: Task) => Promise<void>;
  readonly queueMail: QueueMail;
  /**
   * Asks auth for an account whose registration event has not arrived yet. Undefined if auth does not know it either.
   */
  readonly findHolder: (accountId: string) => Promise<Account | undefined>;
}

export type Task = 'send-mails' | 'make-exports';
