/**
 * Changes the password: with the present one, or by a mailed link if it is lost. Sessions end, API keys
 * remain.
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { NotFoundError } from '@audiosplit/chassis/errors';
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import { withTransaction } from '@audiosplit/chassis/postgres/pool';
import { mailRequested } from '../events.ts';
import { findCredentials, lockHolder, setPasswordHash, setVerifiedEmail } from '../store/accounts.ts';
import { deleteKnownCallers } from '../store/known-callers.ts';
import { deleteLinks } from '../store/mailed-links.ts';
import { deleteSessionsOf } from '../store/sessions.ts';
import { checkPassword, type PasswordCheck } from './check-password.ts';
import { addressKeyOf } from './email-address.ts';
import { type Caller, remember } from './known-callers.ts';
import { accountOfLink, linkRefused, requestMail, useLink } from './mailed-links.ts';
import { checkNewPassword } from './password.ts';

interface PasswordsOptions extends PasswordCheck {
  readonly wakeRelay: () => void;
  readonly clock: Clock;
}

interface PasswordReset extends Caller {
  readonly token: string;
  readonly password: string;
}

interface PasswordChange {
  readonly accountId: string;
  readonly current: string;
  readonly password: string;
  /** The session that continues. Empty: none. */
  readonly sessionId: string;
  readonly clientIp: string;
}

export interface Passwords {
  /** For an address without an account it does the same, except for the mail. */
  requestReset(email: string): Promise<void>;
  /** Returns the account. Throws INVALID_PARAMS, UNAUTHORIZED. */
  reset(reset: PasswordReset): Promise<string>;
  /** Throws INVALID_PARAMS, RATE_LIMITED, NOT_FOUND. */
  change(change: PasswordChange): Promise<void>;
}

export function createPasswords(options: PasswordsOptions): Passwords {
  const { pool, passwords, wakeRelay, clock } = options;
  return {
    async requestReset(email) {
      const at = clock();
      const addressKey = addressKeyOf(email);
      const { account } = (await findCredentials(pool, addressKey)) ?? {};
      const mail = account && mailRequested(account.id, 'reset-password', account.email, at);
      await requestMail(pool, 'reset-password', { addressKey, at }, mail);
      wakeRelay();
    },

    async reset({ token, password, ...caller }) {
      checkNewPassword(password);
      const isGood = (await accountOfLink(pool, 'reset-password', token, clock())) !== undefined;
      if (!isGood) throw linkRefused();
      const passwordHash = await passwords.hash(password, caller.clientIp);
      const accountId = await withTransaction(pool, async (client) => {
        const now = clock();
        const link = await useLink(client, 'reset-password', token, now);
        if (link === undefined) return undefined;
        const { id, email } = link.holder;
        await setPasswordHash(client, id, passwordHash);
        // The link has proved that the address is the holder's. It also cancels a change of address that
        // another person may have requested.
        await setVerifiedEmail(client, id, { text: email, key: addressKeyOf(email) }, now);
        await deleteLinks(client, id, 'sign-in');
        await deleteSessionsOf(client, id, '', now);
        await deleteKnownCallers(client, id);
        await remember(client, id, caller, now);
        await appendToOutbox(client, [mailRequested(id, 'password-changed', email, now)]);
        return id;
      });
      if (accountId === undefined) throw linkRefused();
      wakeRelay();
      return accountId;
    },

    async change({ accountId, current, password, sessionId, clientIp }) {
      checkNewPassword(password);
      await checkPassword(options, { accountId, current, clientIp, at: clock() });
      const passwordHash = await passwords.hash(password, clientIp);
      await withTransaction(pool, async (client) => {
        const now = clock();
        const holder = await lockHolder(client, accountId);
        if (holder === undefined) throw new NotFoundError('The account');
        await setPasswordHash(client, accountId, passwordHash);
        await deleteLinks(client, accountId, 'sign-in');
        await deleteLinks(client, accountId, 'reset-password');
        await deleteSessionsOf(client, accountId, sessionId, now);
        await appendToOutbox(client, [mailRequested(accountId, 'password-changed', holder.email, now)]);
      });
      wakeRelay();
    },
  };
}
