/**
 * The events that the jobs service handles: changes of limits, and accounts that are closed, restored or
 * purged.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import type { EventBus, Subscription } from '@audiosplit/chassis/event-bus/event-bus';
import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import type { Pool } from '@audiosplit/chassis/postgres/pool';
import { type Event, EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { fromProtoLimits } from './proto-mapping.ts';
import { type ClosingChange, closeAccount, purgeAccount, reopenAccount } from './retention/close-account.ts';
import { changeLimits } from './submit/limits.ts';

export interface JobsSubscriptions {
  readonly bus: EventBus;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wakeRelay: () => void;
  readonly onCrash: (error: Error) => void;
}

export function subscribeToAccounts({
  bus,
  pool,
  clock,
  wakeRelay,
  onCrash,
}: JobsSubscriptions): Promise<Subscription> {
  return subscribeToEvents({
    bus,
    group: 'jobs',
    topics: [TOPICS.accounts],
    schema: EventSchema,
    onCrash,
    async handler(event) {
      await handleAccountEvent(pool, event, clock());
      wakeRelay();
    },
  });
}

async function handleAccountEvent(pool: Pool, event: Event, now: Date): Promise<void> {
  const { id, accountId, payload } = event;
  switch (payload.case) {
    case 'accountLimitsChanged':
      if (payload.value.limits === undefined) throw new Error(`event ${id} has no limits`);
      return changeLimits(pool, accountId, fromProtoLimits(payload.value.limits));
    case 'accountDeletionRequested':
      return closeAccount(pool, toClosingChange(event));
    case 'accountRestored':
      return reopenAccount(pool, toClosingChange(event));
    case 'accountPurged':
      return purgeAccount(pool, accountId, now);
    default:
      // The topic carries other kinds too, and new kinds may be added.
      return;
  }
}

function toClosingChange({ id, accountId, occurredAt }: Event): ClosingChange {
  if (occurredAt === undefined) throw new Error(`event ${id} has no time of occurrence`);
  return { eventId: id, accountId, occurredAt: timestampDate(occurredAt) };
}
