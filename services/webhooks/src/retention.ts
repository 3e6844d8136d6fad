import { pruneConsumedEvents } from '@audiosplit/chassis/outbox/outbox';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { deleteDeliveriesOf, deleteSettledBefore } from './store/deliveries.ts';
import { deleteExpiredSecrets, deleteSecretsOf } from './store/signing-secrets.ts';

const DELIVERY_RETENTION_MS = 30 * 86_400_000;
/** Keeps each statement short, whatever there is to delete. */
const BATCH_SIZE = 1_000;

/** Takes away settled deliveries past their 30 days, and what is of no more use. */
export async function prune(pool: Pool, now: Date): Promise<void> {
  const before = new Date(now.getTime() - DELIVERY_RETENTION_MS);
  while ((await deleteSettledBefore(pool, before, BATCH_SIZE)) === BATCH_SIZE);
  await deleteExpiredSecrets(pool, now);
  await pruneConsumedEvents(pool);
}

/** Everything of the account. The secrets go first: without one, no further attempt is made. */
export async function purgeAccount(pool: Pool, accountId: string): Promise<void> {
  await deleteSecretsOf(pool, accountId);
  while ((await deleteDeliveriesOf(pool, accountId, BATCH_SIZE)) === BATCH_SIZE);
}
