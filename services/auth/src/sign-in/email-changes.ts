/**
 * Verifies and changes the address of an account. A new address replaces the old one once its mailed link is
 * used. Responses do not reveal whether an address has another account: its holder gets a mail about it.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { InvalidParamsError, NotFoundError, ServiceError } from '@audiosplit/chassis/errors';
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { isUniqueViolation, type Queryable, withTransaction } from '@audiosplit/chassis/postgres/pool';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { accountProfileChanged, mailRequested } from '../events.ts';
import {
  ADDRESS_CONSTRAINT,
  findHolder,
  findIdByAddress,
  type Holder,
  lockHolder,
  setPendingEmail,
  setVerifiedEmail,
} from '../store/accounts.ts';
import { countAttempt } from '../store/attempt-windows.ts';
import { windowIsFull } from './attempt-window.ts';
import { checkPassword, type PasswordCheck } from './check-password.ts';
import { addressKeyOf, parseEmailAddress } from './email-address.ts';
import { isMailDue, linkRefused, useLink } from './mailed-links.ts';
import { REGISTRATION_WINDOW_MS } from './registration-throttle.ts';

interface EmailChangesOptions extends PasswordCheck {
  readonly wakeRelay: () => void;
  readonly clock: Clock;
}

interface EmailChange {
  readonly accountId: string;
  readonly email: string;
  readonly current: string;
  readonly clientIp: string;
}

export interface EmailChanges {
  /** Throws INVALID_PARAMS, RATE_LIMITED, NOT_FOUND. */
  request(change: EmailChange): Promise<void>;
  /** Mails at most once in five minutes. Does nothing if no address needs verification. */
  requestVerification(accountId: string): Promise<void>;
  /** Returns the account. Throws UNAUTHORIZED, EMAIL_TAKEN. */
  verify(token: string): Promise<string>;
  /** Undefined for an account of an external issuer. */
  find(accountId: string): Promise<Holder | undefined>;
}

export function createEmailChanges(options: EmailChangesOptions): EmailChanges {
  const { pool, bounds, wakeRelay, clock } = options;
  return {
    find: (accountId) => findHolder(pool, accountId),

    async request({ accountId, email, current, clientIp }) {
      const address = parseEmailAddress(email);
      const at = clock();
      await checkPassword(options, { accountId, current, clientIp, at });
      const subject = `email-change ${accountId}`;
      const windowStart = new Date(at.getTime() - REGISTRATION_WINDOW_MS);
      const { emailChangesPerHour: limit } = bounds;
      if (!(await countAttempt(pool, { subject, at, windowStart, limit }))) {
        const what = `More than ${limit} changes of the address within an hour`;
        throw await windowIsFull(pool, { subject, windowMs: REGISTRATION_WINDOW_MS, now: at, what });
      }
      await withTransaction(pool, async (client) => {
        const holder = await lockHolder(client, accountId);
        if (holder === undefined) throw new NotFoundError('The account');
        if (address.key === addressKeyOf(holder.email)) {
          throw new InvalidParamsError('email', 'is the address of the account already.');
        }
        await setPendingEmail(client, accountId, address.text);
        await appendToOutbox(client, [mailRequested(accountId, 'email-change', holder.email, at)]);
        await mailVerification(client, accountId, address.text, at);
      });
      wakeRelay();
    },

    async requestVerification(accountId) {
      const holder = await findHolder(pool, accountId);
      const wanted = holder && unverifiedOf(holder);
      if (wanted === undefined) return;
      await withTransaction(pool, (client) => mailVerification(client, accountId, wanted, clock()));
      wakeRelay();
    },

    async verify(token) {
      try {
        const accountId = await withTransaction(pool, async (client) => {
          const now = clock();
          const link = await useLink(client, 'verify-email', token, now);
          if (link === undefined) return undefined;
          const { emailVerifiedAt: _, pendingEmail, ...account } = link.holder;
          const email = pendingEmail ?? account.email;
          await setVerifiedEmail(client, account.id, { text: email, key: addressKeyOf(email) }, now);
          if (pendingEmail !== null) {
            await appendToOutbox(client, [accountProfileChanged({ ...account, email }, now)]);
          }
          return account.id;
        });
        if (accountId === undefined) throw linkRefused();
        wakeRelay();
        return accountId;
      } catch (error) {
        if (!isUniqueViolation(error, ADDRESS_CONSTRAINT)) throw error;
        throw new ServiceError(
          Reason.EMAIL_TAKEN,
          'This address has another account by now; change to another address.',
        );
      }
    },
  };
}

/** Mails a link to verify the address; or, if the address has another account, a mail about that. */
export async function mailVerification(
  db: Queryable,
  accountId: string,
  email: string,
  at: Date,
): Promise<void> {
  const addressKey = addressKeyOf(email);
  const owner = await findIdByAddress(db, addressKey);
  const isTaken = owner !== undefined && owner !== accountId;
  if (!(await isMailDue(db, 'verify-email', addressKey, at))) return;
  await appendToOutbox(db, [mailRequested(accountId, isTaken ? 'email-taken' : 'verify-email', email, at)]);
}

function unverifiedOf({ email, emailVerifiedAt, pendingEmail }: Holder): string | undefined {
  return pendingEmail ?? (emailVerifiedAt === null ? email : undefined);
}
