/** Events that auth publishes and handles. */

import { eventMessage } from '@audiosplit/chassis/event-bus/event-message';
import { accountScopePrefix } from '@audiosplit/chassis/idempotency/idempotency-key';
import { forgetAnswers } from '@audiosplit/chassis/idempotency/store';
import { consumeOnce, type OutboxMessage } from '@audiosplit/chassis/outbox/outbox';
import { type Pool, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import type { Event } from '@audiosplit/proto/events/v1/events';
import { timestampDate } from '@bufbuild/protobuf/wkt';
import { fromProtoLimits } from './accounts/account-limits.ts';
import {
  cancelDeletion,
  deleteClosing,
  deleteLimits,
  insertDeletion,
  markPurged,
  saveClosing,
  saveLimits,
} from './store/account-projections.ts';
import { type Account, deleteAccount } from './store/accounts.ts';
import { deleteApiKeysOf } from './store/api-keys.ts';
import { deleteExternalIdentity } from './store/external-identities.ts';

const CONSUMER = 'auth';

export function accountRegistered(account: Account): OutboxMessage {
  return eventMessage(account.id, account.createdAt, {
    case: 'accountRegistered',
    value: { email: account.email, name: account.name },
  });
}

export function accountProfileChanged({ id, email, name }: Account, now: Date): OutboxMessage {
  return eventMessage(id, now, { case: 'accountProfileChanged', value: { email, name } });
}

export function signInLinkRequested(accountId: string, now: Date): OutboxMessage {
  return eventMessage(accountId, now, { case: 'signInLinkRequested', value: {} });
}

export type MailKind =
  | 'reset-password'
  | 'verify-email'
  | 'email-taken'
  | 'email-change'
  | 'password-changed'
  | 'second-factor-on'
  | 'second-factor-off'
  | 'second-factor-lost';

export function mailRequested(accountId: string, kind: MailKind, email: string, now: Date): OutboxMessage {
  return eventMessage(accountId, now, { case: 'mailRequested', value: { kind, email } });
}

export function apiKeyChanged(
  key: { readonly id: string; readonly accountId: string },
  revoked: boolean,
  now: Date,
): OutboxMessage {
  return eventMessage(key.accountId, now, { case: 'apiKeyChanged', value: { keyId: key.id, revoked } });
}

/** Applies each event once, also if it is redelivered. */
export async function handleAccountEvent(pool: Pool, event: Event, now: Date): Promise<void> {
  await withTransaction(pool, async (client) => {
    if (await consumeOnce(client, CONSUMER, event.id)) await applyAccountEvent(client, event, now);
  });
}

async function applyAccountEvent(db: Queryable, event: Event, now: Date): Promise<void> {
  const { accountId, payload } = event;
  switch (payload.case) {
    case 'accountLimitsChanged':
      if (payload.value.limits === undefined) throw new Error('accountLimitsChanged without limits');
      return saveLimits(db, accountId, fromProtoLimits(payload.value.limits));
    case 'accountDeletionRequested':
      if (await saveClosing(db, accountId, timeOf(event))) await insertDeletion(db, accountId);
      return;
    case 'accountRestored':
      if (await saveClosing(db, accountId, timeOf(event))) await cancelDeletion(db, accountId);
      return;
    case 'accountPurged':
      await deleteApiKeysOf(db, accountId);
      await deleteAccount(db, accountId);
      await deleteExternalIdentity(db, accountId);
      await deleteLimits(db, accountId);
      await deleteClosing(db, accountId);
      await forgetAnswers(db, accountScopePrefix(accountId));
      return markPurged(db, accountId, now);
    default:
      // The topic also carries events that auth does not use.
      return;
  }
}

function timeOf({ id, occurredAt }: Event): Date {
  if (occurredAt === undefined) throw new Error(`event ${id} has no occurredAt`);
  return timestampDate(occurredAt);
}
