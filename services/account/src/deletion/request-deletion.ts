import { InvalidParamsError, NotFoundError } from '@audiosplit/chassis/errors';
import { appendToOutbox, type OutboxMessage } from '@audiosplit/chassis/outbox/outbox';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Account } from '../account.ts';
import type { AccountDependencies } from '../account-dependencies.ts';
import { ActiveSubscriptionError } from '../errors.ts';
import { accountDeletionRequested, accountRestored } from '../events.ts';
import * as messages from '../mail/messages.ts';
import { deleteDeletion, findDeletion, insertDeletion, lockAccount } from '../store/deletions.ts';
import { type Deletion, planDeletion } from './deletion.ts';

const CONFIRMATION = 'DELETE MY ACCOUNT';

export interface DeletionDependencies extends AccountDependencies {
  readonly hasSubscription: (accountId: string) => Promise<boolean>;
  /** Makes auth reject the account's keys at once. Never rejects, because the bus delivers the same event. */
  readonly announceClosing: (closing: OutboxMessage) => Promise<void>;
}

/**
 * Closes the account and schedules its purge. A repeat returns the pending deletion.
 *
 * Throws InvalidParamsError, NotFoundError, ActiveSubscriptionError.
 */
export async function requestDeletion(
  dependencies: DeletionDependencies,
  accountId: string,
  confirmation: string,
): Promise<Deletion> {
  if (confirmation !== CONFIRMATION) {
    throw new InvalidParamsError('confirmation', `must be the text ${CONFIRMATION}.`);
  }
  const { pool, clock, wakeRelay, queueMail, findHolder, hasSubscription, announceClosing } = dependencies;
  const pending = await findDeletion(pool, accountId);
  if (pending !== undefined) return pending;
  const holder = await findHolder(accountId);
  if (holder === undefined) throw new NotFoundError('The account');
  if (await hasSubscription(accountId)) throw new ActiveSubscriptionError();

  const { deletion, closing } = await withTransaction(pool, async (client) => {
    await lockAccount(client, accountId);
    const meanwhile = await findDeletion(client, accountId);
    if (meanwhile !== undefined) return { deletion: meanwhile, closing: undefined };
    const planned = planDeletion(accountId, clock());
    await insertDeletion(client, planned);
    const closing = accountDeletionRequested(planned);
    await appendToOutbox(client, [closing]);
    const message = messages.deletionScheduled(planned.purgeAt, planned.completeBy);
    await queueMail(client, holder, message, planned.requestedAt);
    return { deletion: planned, closing };
  });
  wakeRelay();
  if (closing !== undefined) await announceClosing(closing);
  return deletion;
}

/** Cancels a deletion before the purge. Does nothing if none is pending. Throws NotFoundError. */
export async function restoreAccount(dependencies: AccountDependencies, accountId: string): Promise<Account> {
  const { pool, clock, wakeRelay, queueMail, findHolder } = dependencies;
  const holder = await findHolder(accountId);
  if (holder === undefined) throw new NotFoundError('The account');
  await withTransaction(pool, async (client) => {
    await lockAccount(client, accountId);
    const deletion = await findDeletion(client, accountId);
    if (deletion === undefined) return;
    await deleteDeletion(client, accountId);
    const now = clock();
    // Consumers apply the later of the two events, and this replica's clock may be behind.
    const restoredAt = new Date(Math.max(now.getTime(), deletion.requestedAt.getTime()));
    await appendToOutbox(client, [accountRestored(accountId, restoredAt)]);
    await queueMail(client, holder, messages.accountRestored(), now);
  });
  wakeRelay();
  return holder;
}
