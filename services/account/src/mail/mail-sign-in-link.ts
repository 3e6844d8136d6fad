/** Mails a link to sign in that auth wants. Auth gives its token now, so that it is not on the bus. */
import { consumeOnce } from '@audiosplit/chassis/outbox/outbox';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import { hasReason } from '@audiosplit/chassis/rpc/errors';
import type { AuthService } from '@audiosplit/proto/auth/v1/auth';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { AccountDependencies } from '../account-dependencies.ts';
import * as messages from './messages.ts';
import { queueMail } from './queued-mail.ts';

export interface LinkMailer extends Pick<AccountDependencies, 'pool' | 'clock' | 'findHolder' | 'queueTask'> {
  readonly auth: Pick<Client<typeof AuthService>, 'createSignInLink'>;
  readonly publicBaseUrl: string;
}

interface LinkRequest {
  readonly eventId: string;
  readonly accountId: string;
  readonly occurredAt: Timestamp;
}

/** Who asked waits no longer. */
const STALE_MS = 30 * 60_000;

/** An event that is delivered again makes no second mail, but perhaps a second link, which is not mailed. */
export async function mailSignInLink(
  { pool, clock, findHolder, queueTask, auth, publicBaseUrl }: LinkMailer,
  consumer: string,
  { eventId, accountId, occurredAt }: LinkRequest,
): Promise<void> {
  if (clock().getTime() - timestampDate(occurredAt).getTime() >= STALE_MS) return;
  const holder = await findHolder(accountId);
  if (holder === undefined) return;
  const link = await auth.createSignInLink({ accountId }).catch((error: unknown) => {
    if (hasReason(error, Reason.NOT_FOUND)) return undefined;
    throw error;
  });
  if (link?.expiresAt === undefined) return;
  const message = messages.signInLink(publicBaseUrl, link.token, timestampDate(link.expiresAt));
  await withTransaction(pool, async (client) => {
    if (!(await consumeOnce(client, consumer, eventId))) return;
    await queueMail(client, holder, message, clock());
    await queueTask(client, 'send-mails');
  });
}
