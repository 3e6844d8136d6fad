/** Events that the account service publishes and handles. */
import { eventMessage } from '@audiosplit/chassis/event-bus/event-message';
import type { ObjectStore } from '@audiosplit/chassis/object-store/object-store';
import { consumeOnce, type OutboxMessage } from '@audiosplit/chassis/outbox/outbox';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Event } from '@audiosplit/proto/events/v1/events';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Deletion } from './deletion/deletion.ts';
import { removeAccount } from './deletion/remove-account.ts';
import type { Export } from './export/export.ts';
import { type LinkMailer, mailAsRequested, mailSignInLink } from './mail/mail-link.ts';
import { type Message, refundChanged, suspensionChanged, usageThresholdReached } from './mail/messages.ts';
import { findAccount, insertAccount, updateProfile } from './store/accounts.ts';

const CONSUMER = 'account';

export function accountDeletionRequested({ accountId, requestedAt, purgeAt }: Deletion): OutboxMessage {
  return eventMessage(accountId, requestedAt, {
    case: 'accountDeletionRequested',
    value: { purgeAt: timestampFromDate(purgeAt) },
  });
}

export function accountRestored(accountId: string, now: Date): OutboxMessage {
  return eventMessage(accountId, now, { case: 'accountRestored', value: {} });
}

export function accountPurged(accountId: string, now: Date): OutboxMessage {
  return eventMessage(accountId, now, { case: 'accountPurged', value: {} });
}

export function exportFinished(finished: Export, now: Date): OutboxMessage {
  const { id: exportId, accountId, status, format, expiresAt, webhookUrl } = finished;
  return eventMessage(accountId, now, {
    case: 'exportFinished',
    value: {
      exportId,
      status,
      format,
      ...(expiresAt === undefined ? {} : { expiresAt: timestampFromDate(expiresAt) }),
      ...(webhookUrl === undefined ? {} : { webhookUrl }),
    },
  });
}

interface EventDependencies extends LinkMailer {
  readonly openStore: () => Promise<ObjectStore>;
}

export async function handleAccountEvent(
  dependencies: EventDependencies,
  event: Event,
  now: Date,
): Promise<void> {
  const { pool, openStore, queueMail } = dependencies;
  const { accountId, occurredAt, payload } = event;
  switch (payload.case) {
    case 'accountRegistered': {
      if (occurredAt === undefined) throw new Error(`event ${event.id} has no occurredAt`);
      const { email, name } = payload.value;
      const account = { id: accountId, email, name, createdAt: timestampDate(occurredAt) };
      return withTransaction(pool, async (client) => {
        if (await consumeOnce(client, CONSUMER, event.id)) await insertAccount(client, account);
      });
    }
    case 'accountProfileChanged': {
      const { email, name } = payload.value;
      return withTransaction(pool, async (client) => {
        if (await consumeOnce(client, CONSUMER, event.id)) {
          await updateProfile(client, { id: accountId, email, name });
        }
      });
    }
    case 'signInLinkRequested':
      if (occurredAt === undefined) throw new Error(`event ${event.id} has no occurredAt`);
      return mailSignInLink(dependencies, CONSUMER, { eventId: event.id, accountId, occurredAt });
    case 'mailRequested':
      if (occurredAt === undefined) throw new Error(`event ${event.id} has no occurredAt`);
      return mailAsRequested(
        dependencies,
        CONSUMER,
        { eventId: event.id, accountId, occurredAt },
        payload.value,
      );
    case 'accountSuspensionChanged':
    case 'refundChanged':
    case 'usageThreshold': {
      const message = billingMessage(payload);
      return withTransaction(pool, async (client) => {
        if (!(await consumeOnce(client, CONSUMER, event.id))) return;
        const holder = await findAccount(client, accountId);
        if (holder === undefined) return;
        await queueMail(client, holder, message, now);
      });
    }
    case 'accountPurged':
      return removeAccount(pool, openStore, accountId, now);
    default:
      // The topic also carries events that this service does not use.
      return;
  }
}

type BillingPayload = Extract<
  Event['payload'],
  { readonly case: 'accountSuspensionChanged' | 'refundChanged' | 'usageThreshold' }
>;

function billingMessage(payload: BillingPayload): Message {
  switch (payload.case) {
    case 'accountSuspensionChanged':
      return suspensionChanged(payload.value);
    case 'refundChanged':
      return refundChanged(payload.value);
    case 'usageThreshold':
      return usageThresholdReached(payload.value);
    default:
      return payload satisfies never;
  }
}
