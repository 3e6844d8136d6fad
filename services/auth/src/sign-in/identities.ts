/**
 * Sign-in: registering, signing in and refreshing a session.
 *
 * A session is a chain of refresh tokens, each valid for one use. Reuse means that two parties hold the token, and
 * one of them is a thief, so it ends the whole session (RFC 9700, 4.14.2). If one client sends a token twice within
 * seconds, only the second request is rejected (decision 43).
 */
import type { Clock } from '@audiosplit/chassis/clock';
import { NotFoundError, ServiceError, UnavailableError } from '@audiosplit/chassis/errors';
import { newId } from '@audiosplit/chassis/ids';
import { appendToOutbox } from '@audiosplit/chassis/outbox/outbox';
import {
  isUniqueViolation,
  type Pool,
  type Queryable,
  withTransaction,
} from '@audiosplit/chassis/postgres/pool';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { SignInBounds } from '../config.ts';
import { accountRegistered } from '../events.ts';
import {
  type Account,
  ADDRESS_CONSTRAINT,
  findAccount,
  findCredentials,
  insertAccount,
  replacePasswordHash,
} from '../store/accounts.ts';
import {
  deleteSession,
  deleteSessionOfToken,
  insertRefreshToken,
  insertSession,
  lockSessionOfToken,
  spendRefreshToken,
  useSession,
} from '../store/sessions.ts';
import type { IssueAccessToken } from './access-token.ts';
import { checkAccountName } from './display-name.ts';
import { addressKeyOf, parseEmailAddress } from './email-address.ts';
import { mailVerification } from './email-changes.ts';
import { type Caller, isKnown, remember } from './known-callers.ts';
import { accountOfLink, linkRefused, requestSignInLink, useLink } from './mailed-links.ts';
import { checkNewPassword, type PasswordHasher } from './password.ts';
import {
  type Client,
  digestOfClient,
  isRace,
  mintRefreshToken,
  SESSION_LIFETIME_MS,
  sha256OfRefreshToken,
} from './refresh-token.ts';
import { countRegistration } from './registration-throttle.ts';
import type { SecondFactors } from './second-factors.ts';
import { SESSION_ID_PREFIX, sessionUseOf } from './sessions.ts';
import { beginAttempt } from './sign-in-throttle.ts';

interface IdentitiesOptions {
  readonly pool: Pool;
  readonly wakeRelay: () => void;
  readonly passwords: PasswordHasher;
  readonly bounds: SignInBounds;
  readonly issueAccessToken: IssueAccessToken;
  readonly secondFactors: Pick<SecondFactors, 'check'>;
  readonly clock: Clock;
}

interface Opened {
  readonly account: Account;
  readonly sessionId: string;
  readonly refreshToken: string;
}

export interface SignedIn {
  readonly account: Account;
  readonly accessToken: string;
  readonly refreshToken: string;
}

/** A caller that signs in. */
interface Entrant extends Caller {
  /** Empty: unknown. */
  readonly userAgent: string;
}

interface Registration extends Entrant {
  readonly email: string;
  readonly password: string;
  readonly name: string;
}

interface SignIn extends Entrant {
  /** Code of the second factor. Empty: none. */
  readonly code: string;

  readonly email: string;
  readonly password: string;
  /** A live refresh token shows that the account knows the caller. Empty: none. */
  readonly refreshToken: string;
}

export interface Identities {
  /** Throws INVALID_PARAMS, EMAIL_TAKEN, RATE_LIMITED. */
  register(registration: Registration): Promise<SignedIn>;
  /**
   * The right password of a known caller is always accepted. Throws UNAUTHORIZED, RATE_LIMITED,
   * SIGN_IN_LINK_SENT, SECOND_FACTOR_REQUIRED.
   */
  login(signIn: SignIn): Promise<SignedIn>;
  /** Throws UNAUTHORIZED, RATE_LIMITED, SECOND_FACTOR_REQUIRED. */
  loginByLink(token: string, caller: Entrant & { readonly code: string }): Promise<SignedIn>;
  /** Throws UNAUTHORIZED. */
  refresh(refreshToken: string, client: Client): Promise<SignedIn>;
  /** Does nothing if the token is no longer valid. */
  logout(refreshToken: string): Promise<void>;
  /** Throws NOT_FOUND. */
  find(accountId: string): Promise<Account>;
}

export function createIdentities(options: IdentitiesOptions): Identities {
  const { pool, wakeRelay, passwords, bounds, issueAccessToken, secondFactors, clock } = options;

  /** The password of the request must still be the account's (null: no password is required). */
  const openSession = async (
    db: Queryable,
    account: Account,
    caller: Entrant,
    passwordHash: string | null,
  ): Promise<Opened> => {
    const now = clock();
    const session = {
      id: newId(SESSION_ID_PREFIX, now),
      accountId: account.id,
      createdAt: now,
      expiresAt: new Date(now.getTime() + SESSION_LIFETIME_MS),
      ...sessionUseOf(caller),
    };
    // The account may have been purged while the password was verified, or the password changed.
    if (!(await insertSession(db, session, passwordHash))) throw wrongCredentials();
    await remember(db, account.id, caller, now);
    return { account, sessionId: session.id, refreshToken: await giveRefreshToken(db, session.id) };
  };

  const giveRefreshToken = async (db: Queryable, sessionId: string): Promise<string> => {
    const token = mintRefreshToken();
    await insertRefreshToken(db, sessionId, sha256OfRefreshToken(token), clock());
    return token;
  };

  const signedIn = async ({ account, sessionId, refreshToken }: Opened): Promise<SignedIn> => ({
    account,
    refreshToken,
    accessToken: await issueAccessToken(account.id, sessionId),
  });

  const renewHash = async (
    accountId: string,
    { passwordHash, password, clientIp }: Record<'passwordHash' | 'password' | 'clientIp', string>,
  ) => {
    try {
      await replacePasswordHash(pool, accountId, passwordHash, await passwords.hash(password, clientIp));
    } catch (error) {
      // Then at another sign-in.
      if (!(error instanceof UnavailableError)) throw error;
    }
  };

  return {
    async find(accountId) {
      const account = await findAccount(pool, accountId);
      if (account === undefined) throw new NotFoundError('The account');
      return account;
    },

    async register({ email, password, name, ...caller }) {
      const address = parseEmailAddress(email);
      checkNewPassword(password);
      checkAccountName(name);
      const { registrationsPerHour: perHour } = bounds;
      await countRegistration(pool, { clientIp: caller.clientIp, now: clock(), perHour });
      const passwordHash = await passwords.hash(password, caller.clientIp);
      const now = clock();
      const account = { id: newId('acc', now), email: address.text, name, createdAt: now };
      try {
        const opened = await withTransaction(pool, async (client) => {
          await insertAccount(client, account, address.key, passwordHash);
          await appendToOutbox(client, [accountRegistered(account)]);
          await mailVerification(client, account.id, account.email, now);
          return openSession(client, account, caller, null);
        });
        wakeRelay();
        return await signedIn(opened);
      } catch (error) {
        if (!isUniqueViolation(error, ADDRESS_CONSTRAINT)) throw error;
        throw new ServiceError(
          Reason.EMAIL_TAKEN,
          'An account with this address exists; sign in, or register another address.',
        );
      }
    },

    async login({ email, password, refreshToken: presented, code, ...caller }) {
      const at = clock();
      const addressKey = addressKeyOf(email);
      const credentials = await findCredentials(pool, addressKey);
      const accountId = credentials?.account.id;
      const isKnownHere = await isKnown(pool, accountId, { ...caller, refreshToken: presented }, at);
      const { clientIp } = caller;
      const attempt = await beginAttempt(pool, bounds, { addressKey, clientIp, isKnown: isKnownHere, at });
      if (attempt.refusal !== undefined && !isKnownHere) {
        if (attempt.refusal.reason === Reason.SIGN_IN_LINK_SENT) {
          await requestSignInLink(pool, addressKey, accountId, at);
          wakeRelay();
        }
        throw attempt.refusal;
      }
      const matches = await attempt.judge(() =>
        passwords.verify(credentials?.passwordHash, password, clientIp),
      );
      if (credentials === undefined || !matches) throw attempt.refusal ?? wrongCredentials();
      const { account, passwordHash } = credentials;
      await secondFactors.check(account.id, code);
      const opened = await withTransaction(pool, (client) =>
        openSession(client, account, caller, passwordHash),
      );
      if (passwords.isOutdated(passwordHash))
        await renewHash(account.id, { passwordHash, password, clientIp });
      return signedIn(opened);
    },

    async loginByLink(token, { code, ...caller }) {
      const accountId = await accountOfLink(pool, 'sign-in', token, clock());
      if (accountId === undefined) throw linkRefused();
      await secondFactors.check(accountId, code);
      const opened = await withTransaction(pool, async (client) => {
        const link = await useLink(client, 'sign-in', token, clock());
        return link && openSession(client, link.holder, caller, null);
      });
      if (opened === undefined) throw linkRefused();
      return signedIn(opened);
    },

    async refresh(refreshToken, from) {
      const sha256 = sha256OfRefreshToken(refreshToken);
      const next = await withTransaction(pool, async (client) => {
        const session = await lockSessionOfToken(client, sha256);
        const now = clock();
        if (session === undefined || session.expiresAt <= now) return undefined;
        const digest = digestOfClient(session.id, from);
        const earlier = await spendRefreshToken(client, sha256, { spentAt: now, spentBy: digest ?? null });
        if (earlier === undefined) {
          await useSession(client, session.id, sessionUseOf(from), now);
          const { id: sessionId, account } = session;
          return { account, sessionId, refreshToken: await giveRefreshToken(client, sessionId) };
        }
        if (!isRace(earlier, digest, now)) await deleteSession(client, session.id);
        return undefined;
      });
      if (next === undefined) {
        throw new ServiceError(
          Reason.UNAUTHORIZED,
          'The refresh token is unknown, expired or was used before; sign in again.',
        );
      }
      // Not while the session is locked, because the removal of an account locks the account first and then
      // its sessions.
      await remember(pool, next.account.id, { clientIp: from.clientIp, deviceToken: '' }, clock());
      return signedIn(next);
    },

    async logout(refreshToken) {
      await deleteSessionOfToken(pool, sha256OfRefreshToken(refreshToken));
    },
  };
}

function wrongCredentials(): ServiceError {
  return new ServiceError(Reason.UNAUTHORIZED, 'The address or the password is wrong.');
}
