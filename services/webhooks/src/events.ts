/** The events that the service acts upon: changes of splits and ends of exports are notified, accounts are purged. */
import type { Clock } from '@audiosplit/chassis/clock';
import type { EventBus, Subscription } from '@audiosplit/chassis/event-bus/event-bus';
import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import { newId } from '@audiosplit/chassis/ids';
import { consumeOnce } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { isPurged } from '@audiosplit/chassis/purged-accounts';
import { type Event, EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { WakeAccount } from './delivery/deliver.ts';
import type { Notification } from './delivery/delivery.ts';
import { exportNotification } from './notifications/export-notification.ts';
import { splitNotification } from './notifications/split-notification.ts';
import { purgeAccount } from './retention.ts';
import type { SigningKeys } from './signing-keys.ts';
import { insertDelivery } from './store/deliveries.ts';
import { holdOffPurge } from './store/purge-lock.ts';

const GROUP = 'webhooks';

interface EventDependencies {
  readonly pool: Pool;
  readonly keys: SigningKeys;
  readonly wake: WakeAccount;
  readonly clock: Clock;
}

export function subscribeToDomainEvents(
  dependencies: EventDependencies,
  bus: EventBus,
  onCrash: (error: Error) => void,
): Promise<Subscription> {
  return subscribeToEvents({
    bus,
    group: GROUP,
    topics: [TOPICS.splits, TOPICS.accounts],
    schema: EventSchema,
    onCrash,
    async handler(event) {
      const { payload, accountId } = event;
      if (payload.case === 'accountPurged')
        return purgeAccount(dependencies.pool, accountId, dependencies.clock());
      const notification = notificationOf(event, dependencies.clock);
      if (notification !== undefined) await accept(dependencies, event, notification);
    },
  });
}

function notificationOf({ payload, occurredAt }: Event, clock: Clock): Notification | undefined {
  const happenedAt = occurredAt === undefined ? clock() : timestampDate(occurredAt);
  switch (payload.case) {
    case 'splitStatusChanged':
      return splitNotification(payload.value, happenedAt);
    case 'exportFinished':
      return exportNotification(payload.value, happenedAt);
    default:
      // The topics carry other kinds too, and new kinds may be added.
      return undefined;
  }
}

/** Stores the delivery, its first wake-up and the mark of the consumed event in one transaction. */
async function accept(
  { pool, keys, wake, clock }: EventDependencies,
  { id: eventId, accountId }: Event,
  notification: Notification,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    if (!(await consumeOnce(client, GROUP, eventId))) return;
    await holdOffPurge(client, accountId);
    if (await isPurged(client, accountId)) return;
    const now = clock();
    await keys.current(client, accountId, now);
    await insertDelivery(client, newId('dlv', now), accountId, notification, now);
    await wake(client, accountId);
  });
}
