import { accountScopePrefix } from '@audiosplit/chassis/idempotency/idempotency-key';
import { forgetAnswers, pruneAnswers } from '@audiosplit/chassis/idempotency/store';
import { pruneConsumedEvents } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { forgetPurgedAccounts, insertPurgedAccount } from '@audiosplit/chassis/purged-accounts';
import { deleteCircuitsBefore, deleteCircuitsOf } from './store/circuits.ts';
import { deleteDeliveriesOf, deleteSettledBefore } from './store/deliveries.ts';
import { deleteEndpoint } from './store/endpoints.ts';
import { lockForPurge } from './store/purge-lock.ts';
import { deleteExpiredSecrets, deleteSecretsOf } from './store/signing-secrets.ts';

const DELIVERY_RETENTION_MS = 30 * 86_400_000;
/** Twice the retention of the bus: no event can arrive later. */
const PURGE_REMEMBERED_MS = 15 * 86_400_000;
/** A host to which nothing was sent for this long counts as new. */
const CIRCUIT_RETENTION_MS = 86_400_000;
/** Keeps each statement short. */
const BATCH_SIZE = 1_000;

/** Deletes settled deliveries after 30 days, and other records that no longer have an effect. */
export async function prune(pool: Pool, now: Date): Promise<void> {
  const before = new Date(now.getTime() - DELIVERY_RETENTION_MS);
  while ((await deleteSettledBefore(pool, before, BATCH_SIZE)) === BATCH_SIZE);
  await deleteExpiredSecrets(pool, now);
  await deleteCircuitsBefore(pool, new Date(now.getTime() - CIRCUIT_RETENTION_MS));
  await forgetPurgedAccounts(pool, new Date(now.getTime() - PURGE_REMEMBERED_MS));
  await pruneAnswers(pool, now);
  await pruneConsumedEvents(pool);
}

/**
 * Deletes all data of the account; late events of it are dropped. The secrets are deleted first, because no
 * attempt is made without one. Repeating it is harmless.
 */
export async function purgeAccount(pool: Pool, accountId: string, now: Date): Promise<void> {
  await withTransaction(pool, async (client) => {
    await lockForPurge(client, accountId);
    await insertPurgedAccount(client, accountId, now);
  });
  await deleteSecretsOf(pool, accountId);
  await deleteEndpoint(pool, accountId);
  await forgetAnswers(pool, accountScopePrefix(accountId));
  while ((await deleteDeliveriesOf(pool, accountId, BATCH_SIZE)) === BATCH_SIZE);
  // Last, because outcomes of attempts in flight may add a circuit while there are deliveries.
  await deleteCircuitsOf(pool, accountId);
}
