/**
 * Mails that auth requests. For a link, auth provides the token when its mail is written, so the token is not
 * on the bus.
 */
import { consumeOnce } from '@audiosplit/chassis/outbox/outbox';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import type { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { AccountDependencies } from '../account-dependencies.ts';
import * as messages from './messages.ts';

export interface LinkMailer extends Pick<AccountDependencies, 'pool' | 'clock' | 'findHolder' | 'queueMail'> {
  readonly auth: Pick<Client<typeof AuthService>, 'createSignInLink' | 'createMailedLink'>;
}

interface Occurrence {
  readonly eventId: string;
  readonly accountId: string;
  readonly occurredAt: Timestamp;
}

/** By then the requester no longer waits. */
const STALE_MS = 30 * 60_000;

export async function mailSignInLink(
  mailer: LinkMailer,
  consumer: string,
  occurrence: Occurrence,
): Promise<void> {
  const { accountId } = occurrence;
  if (isStale(mailer, occurrence)) return;
  const holder = await mailer.findHolder(accountId);
  if (holder === undefined) return;
  const message = await withLink(mailer.auth.createSignInLink({ accountId }), messages.signInLink);
  await queueOnce(mailer, consumer, occurrence, { email: holder.email, message });
}

/** Every mail is sent to the address in its event, which may differ from that of the profile. */
export async function mailAsRequested(
  mailer: LinkMailer,
  consumer: string,
  occurrence: Occurrence,
  { kind, email }: { readonly kind: string; readonly email: string },
): Promise<void> {
  const message = await messageOf(mailer, occurrence, kind, email);
  await queueOnce(mailer, consumer, occurrence, { email, message });
}

async function messageOf(
  mailer: LinkMailer,
  occurrence: Occurrence,
  kind: string,
  email: string,
): Promise<messages.Message | undefined> {
  const { accountId } = occurrence;
  const link = (write: (token: string, expiresAt: Date) => messages.Message) =>
    isStale(mailer, occurrence)
      ? undefined
      : withLink(mailer.auth.createMailedLink({ accountId, purpose: kind, email }), write);
  switch (kind) {
    case 'reset-password':
      return link(messages.passwordReset);
    case 'verify-email':
      return link(messages.addressVerification);
    case 'email-taken':
      return messages.addressTaken();
    case 'email-change':
      return messages.emailChangeRequested();
    case 'password-changed':
      return messages.passwordChanged();
    case 'second-factor-on':
      return messages.secondFactorChanged(true);
    case 'second-factor-off':
      return messages.secondFactorChanged(false);
    case 'second-factor-lost':
      return messages.secondFactorTurnedOff();
    default:
      // The kind belongs to a newer release.
      return undefined;
  }
}

function isStale({ clock }: LinkMailer, { occurredAt }: Occurrence): boolean {
  return clock().getTime() - timestampDate(occurredAt).getTime() >= STALE_MS;
}

/** Undefined if auth has no use for the link: the account is purged, or has another address meanwhile. */
async function withLink(
  asked: Promise<{ readonly token: string; readonly expiresAt?: Timestamp | undefined }>,
  write: (token: string, expiresAt: Date) => messages.Message,
): Promise<messages.Message | undefined> {
  const link = await asked.catch((error: unknown) => {
    if (hasReason(error, Reason.NOT_FOUND)) return undefined;
    throw error;
  });
  return link?.expiresAt && write(link.token, timestampDate(link.expiresAt));
}

/** A redelivered event creates no second mail. It may create a second link, which is not mailed. */
async function queueOnce(
  { pool, clock, queueMail }: LinkMailer,
  consumer: string,
  { eventId, accountId }: Occurrence,
  { email, message }: { readonly email: string; readonly message: messages.Message | undefined },
): Promise<void> {
  if (message === undefined) return;
  await withTransaction(pool, async (client) => {
    if (await consumeOnce(client, consumer, eventId)) {
      await queueMail(client, { id: accountId, email }, message, clock());
    }
  });
}
