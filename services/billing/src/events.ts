/** The events that billing tells, and what it counts of those of others. */
import { toOutboxMessage } from '@audiosplit/chassis/event-bus/events';
import { newId } from '@audiosplit/chassis/ids';
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
import { clearStoredBytes, deleteAllOf, insertJobUsage } from './store.ts';

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
export async function handleEvent(pool: Pool, event: Event): Promise<void> {
  const { payload } = event;
  switch (payload.case) {
    case 'splitStatusChanged':
      return countJob(pool, event, payload.value);
    case 'splitDeleted':
    case 'segmentsExpired':
      return clearStoredBytes(pool, payload.value.jobId);
    case 'accountPurged':
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
  await insertJobUsage(pool, {
    jobId: change.jobId,
    accountId: event.accountId,
    status,
    finishedAt: timestampDate(finishedAt),
    sourceDurationMs: status === 'completed' ? Number(change.sourceDurationMs ?? 0n) : 0,
    storedBytes: status === 'completed' ? Number(change.storedBytes ?? 0n) : 0,
  });
}
