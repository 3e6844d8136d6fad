/**
 * The events that the service handles: it notifies of splits, exports and usage thresholds, and purges
 * accounts.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import type { EventBus, Subscription } from '@audiosplit/chassis/event-bus/event-bus';
import { subscribeToEvents } from '@audiosplit/chassis/event-bus/events';
import { newId } from '@audiosplit/chassis/ids';
import { consumeOnce } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { isPurged } from '@audiosplit/chassis/purged-accounts';
import { type Event, EventSchema } from '@audiosplit/proto/events/v1/events';
import { TOPICS } from '@audiosplit/proto/topics';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { WakeAccount } from './delivery/deliver.ts';
import type { Notification } from './delivery/delivery.ts';
import { count } from './metrics.ts';
import { exportNotification } from './notifications/export-notification.ts';
import { splitNotification } from './notifications/split-notification.ts';
import { usageNotification } from './notifications/usage-notification.ts';
import { purgeAccount } from './retention.ts';
import type { SigningKeys } from './signing-keys.ts';
import { insertAttempt } from './store/attempts.ts';
import { settleDelivery } from './store/claims.ts';
import { countPending, insertDelivery } from './store/deliveries.ts';
import { findEndpoint } from './store/endpoints.ts';
import { holdOffPurge } from './store/purge-lock.ts';

const GROUP = 'webhooks';

interface EventDependencies {
  readonly pool: Pool;
  readonly keys: SigningKeys;
  readonly wake: WakeAccount;
  readonly clock: Clock;
  readonly limits: { readonly pendingPerAccount: number };
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
      if (notification === undefined) return;
      const targets = await targetsOf(dependencies.pool, event, notification);
      if (targets.size > 0) await accept(dependencies, event, notification, targets);
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
    case 'usageThreshold':
      return usageNotification(payload.value, happenedAt);
    default:
      // The topics carry other kinds too, and new kinds may be added.
      return undefined;
  }
}

/** The target that the job or export names, and the account's endpoint; a single one if they are equal. */
async function targetsOf(
  db: Queryable,
  { payload, accountId }: Event,
  { type }: Notification,
): Promise<ReadonlySet<string>> {
  const named =
    payload.case === 'splitStatusChanged' || payload.case === 'exportFinished'
      ? payload.value.webhookUrl
      : undefined;
  const endpoint = await findEndpoint(db, accountId);
  const targets = new Set(named === undefined ? [] : [named]);
  if (endpoint !== undefined && (endpoint.events ?? [type]).includes(type)) targets.add(endpoint.url);
  return targets;
}

/** Stores the deliveries, their first wake-up and the mark of the consumed event in one transaction. */
async function accept(
  { pool, keys, wake, clock, limits }: EventDependencies,
  { id: eventId, accountId }: Event,
  notification: Notification,
  targets: ReadonlySet<string>,
): Promise<void> {
  await withTransaction(pool, async (client) => {
    if (!(await consumeOnce(client, GROUP, eventId))) return;
    await holdOffPurge(client, accountId);
    if (await isPurged(client, accountId)) return;
    const now = clock();
    await keys.current(client, accountId, now);
    let pending = await countPending(client, accountId, limits.pendingPerAccount);
    for (const url of targets) {
      const id = newId('dlv', now);
      await insertDelivery(client, accountId, { ...notification, id, url, now });
      if (pending >= limits.pendingPerAccount) await refuse(client, id, now, pending);
      pending += 1;
    }
    await wake(client, accountId);
  });
}

/** The account's delivery log gives the reason; a replay sends it. */
async function refuse(db: Queryable, deliveryId: string, now: Date, pending: number): Promise<void> {
  const error = `Not sent: ${pending} notifications of the account are pending.`;
  await insertAttempt(db, deliveryId, { at: now, statusCode: undefined, error });
  await settleDelivery(db, deliveryId, { status: 'failed' });
  count('audiosplit_webhook_deliveries_total', { outcome: 'refused' });
}
