/** The events that billing tells, and what it counts of those of others. */
import { toOutboxMessage } from '@audiosplit/chassis/event-bus/events';
import { newId } from '@audiosplit/chassis/ids';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import type { OutboxMessage } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import {
  type AccountLimits,
  type Event,
  EventSchema,
  type SplitStatusChanged,
} from '@audiosplit/proto/events/v1/events';
import { TOPIC_OF } from '@audiosplit/proto/topics';
import { create } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { accountTime } from './account-state.ts';
import { invoiceObjectPrefix } from './invoice.ts';
import { deleteAllOf, lockAccount, putHolder } from './store/accounts.ts';
import { clearStoredBytes, insertJobUsage } from './store/usage.ts';

export function accountLimitsChanged(accountId: string, limits: AccountLimits, now: Date): OutboxMessage {
  const event = create(EventSchema, {
    id: newId('evt', now),
    occurredAt: timestampFromDate(now),
    accountId,
    payload: { case: 'accountLimitsChanged', value: { limits } },
  });
  return toOutboxMessage(EventSchema, event, TOPIC_OF.accountLimitsChanged, accountId);
}

/**
 * Each of these has the same outcome however often it is done: a job is counted under its own id, and the
 * events of one job come in order, so that what frees its bytes comes after what stored them.
 */
export async function handleEvent(
  { pool, openStore }: { readonly pool: Pool; readonly openStore: () => Promise<ObjectStore> },
  event: Event,
): Promise<void> {
  const { payload } = event;
  switch (payload.case) {
    case 'splitStatusChanged':
      return countJob(pool, event, payload.value);
    case 'splitDeleted':
    case 'segmentsExpired':
      return clearStoredBytes(pool, payload.value.jobId);
    case 'accountRegistered': {
      const { email, name } = payload.value;
      return putHolder(pool, event.accountId, { email, name });
    }
    case 'accountPurged':
      await (await openStore()).deletePrefix(invoiceObjectPrefix(event.accountId));
      return withTransaction(pool, (client) => deleteAllOf(client, event.accountId));
    default:
      // The topics carry more kinds than concern this service, and kinds are added.
      return;
  }
}

async function countJob(pool: Pool, event: Event, change: SplitStatusChanged): Promise<void> {
  const { status } = change;
  if (status !== 'completed' && status !== 'failed') return;
  // A failed job has no time of completion.
  const finishedAt = change.completedAt ?? event.occurredAt;
  if (finishedAt === undefined) throw new Error(`event ${event.id} does not say when its job finished`);
  const { accountId } = event;
  await withTransaction(pool, async (client) => {
    // A period that is being closed at this moment either has this job or has closed before it.
    const account = await lockAccount(client, accountId);
    const finished = timestampDate(finishedAt);
    const onItsClock = accountTime(account, finished);
    const { usageClosedUntil } = account;
    await insertJobUsage(client, {
      jobId: change.jobId,
      accountId,
      status,
      finishedAt: finished,
      countedAt:
        usageClosedUntil !== undefined && usageClosedUntil > onItsClock ? usageClosedUntil : onItsClock,
      sourceDurationMs: status === 'completed' ? Number(change.sourceDurationMs ?? 0n) : 0,
      storedBytes: status === 'completed' ? Number(change.storedBytes ?? 0n) : 0,
    });
  });
}
