/** Events that billing handles. */
import { accountScopePrefix } from '@audiosplit/chassis/idempotency/idempotency-key';
import { forgetAnswers } from '@audiosplit/chassis/idempotency/store';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Logger } from '@audiosplit/chassis/process/log';
import { insertPurgedAccount } from '@audiosplit/chassis/purged-accounts';
import type { Event, SplitStatusChanged } from '@audiosplit/proto/events/v1/events';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { BillingDependencies } from './billing-dependencies.ts';
import { AccountPurgedError } from './errors.ts';
import { invoiceObjectPrefix } from './invoices/invoice.ts';
import { deleteAllOf, lockAccountToPurge, putHolder } from './store/accounts.ts';
import { readPendingCharge } from './store/charges.ts';
import { insertCustomerRemoval } from './store/customer-removals.ts';
import { clearStoredBytes } from './store/usage.ts';
import { countJob } from './usage/count-job.ts';
import { watchUsage } from './usage/watch-usage.ts';

interface EventDependencies extends Pick<BillingDependencies, 'pool' | 'queueForget' | 'wakeRelay'> {
  readonly openStore: () => Promise<ObjectStore>;
  readonly log: Logger;
}

/**
 * Idempotent: a job is counted once by its id. The events of one job arrive in order, so its bytes are freed after they
 * were counted.
 */
export async function handleEvent(dependencies: EventDependencies, event: Event, now: Date): Promise<void> {
  const { pool } = dependencies;
  const { payload } = event;
  switch (payload.case) {
    case 'splitStatusChanged':
      return handleFinished(dependencies, event, payload.value, now).catch(unlessPurged);
    case 'splitDeleted':
    case 'segmentsExpired':
      return clearStoredBytes(pool, payload.value.jobId);
    case 'accountRegistered':
    case 'accountProfileChanged': {
      const { email, name } = payload.value;
      return putHolder(pool, event.accountId, { email, name });
    }
    case 'accountPurged':
      return purge(dependencies, event.accountId, now);
    default:
      // The topics also carry events that billing does not use.
      return;
  }
}

/**
 * Deletes the rows first, in one transaction that records the customer to delete at the provider; then the
 * PDFs.
 */
async function purge(
  { pool, openStore, queueForget, log }: EventDependencies,
  accountId: string,
  now: Date,
): Promise<void> {
  const { customerId, charge } = await withTransaction(pool, async (client) => {
    // Waits for changes in flight; later ones find the account purged.
    const account = await lockAccountToPurge(client, accountId);
    const pending = await readPendingCharge(client, accountId);
    if (account.customerId !== undefined) await insertCustomerRemoval(client, account.customerId, now);
    await insertPurgedAccount(client, accountId, now);
    await deleteAllOf(client, accountId);
    await forgetAnswers(client, accountScopePrefix(accountId));
    return { customerId: account.customerId, charge: pending };
  });
  if (charge !== undefined) {
    log.error(
      { accountId, chargeId: charge.id, customerId },
      'an account was purged while a charge was pending: if it has been paid at the provider, pay it back there',
    );
  }
  if (customerId !== undefined) queueForget(customerId);
  await (await openStore()).deletePrefix(invoiceObjectPrefix(accountId));
}

/** Late events of a purged account are ignored. */
function unlessPurged(error: unknown): void {
  if (!(error instanceof AccountPurgedError)) throw error;
}

async function handleFinished(
  { pool, wakeRelay }: EventDependencies,
  event: Event,
  change: SplitStatusChanged,
  now: Date,
): Promise<void> {
  const { status } = change;
  if (status !== 'completed' && status !== 'failed') return;
  // A dry run does not count as usage.
  if (change.cut?.dryRun === true) return;
  // A failed job has no time of completion.
  const finishedAt = change.completedAt ?? event.occurredAt;
  if (finishedAt === undefined) throw new Error(`event ${event.id} does not say when its job finished`);
  const { accountId } = event;
  await withTransaction(pool, async (client) => {
    await countJob(client, {
      jobId: change.jobId,
      accountId,
      status,
      canceled: status === 'failed' && change.errorCode === 'CANCELED',
      finishedAt: timestampDate(finishedAt),
      // The column was added after the first jobs had been counted.
      sourceDurationMs:
        status === 'completed' ? Number(change.meteredMs ?? change.sourceDurationMs ?? 0n) : 0,
      storedBytes: status === 'completed' ? Number(change.storedBytes ?? 0n) : 0,
    });
    if (status === 'completed') await watchUsage(client, accountId, now);
  });
  wakeRelay();
}
