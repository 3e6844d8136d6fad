/** AuthService: checks the caller, calls the use case, maps the result. */
import { InvalidParamsError, ServiceError } from '@audiosplit/chassis/errors';
import { type IdempotencyOptions, withIdempotency } from '@audiosplit/chassis/idempotency/with-idempotency';
import { requireAccount } from '@audiosplit/chassis/identity/authorization';
import type { Routes } from '@audiosplit/chassis/rpc/server';
import {
  type Account as AccountMessage,
  AccountSchema,
  type ApiKey as ApiKeyMessage,
  ApiKeySchema,
  AuthService,
  type Session as SessionMessage,
  SessionSchema,
  type UpdateApiKeyRequest,
} from '@audiosplit/proto/auth/v1/auth';
import { AuthOperatorService } from '@audiosplit/proto/auth/v1/operators';
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import type { Event } from '@audiosplit/proto/events/v1/events';
import { create } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { toProtoLimits } from './accounts/account-limits.ts';
import type { AccountLimitsProjection } from './accounts/account-limits-projection.ts';
import type { ApiKeyChanges, ApiKeys, KeyManager } from './api-keys/api-keys.ts';
import type { Scope } from './api-keys/scopes.ts';
import { createHolderMethods } from './holder-rpc.ts';
import { createOperatorRpc } from './operator-rpc.ts';
import type { EmailChanges } from './sign-in/email-changes.ts';
import type { ExternalIdentities } from './sign-in/external-identities.ts';
import type { Identities, SignedIn } from './sign-in/identities.ts';
import type { Link } from './sign-in/mailed-links.ts';
import type { Passwords } from './sign-in/passwords.ts';
import type { SecondFactors } from './sign-in/second-factors.ts';
import type { Sessions } from './sign-in/sessions.ts';
import type { Keyring } from './signing-keys/keyring.ts';
import { ACCESS_TOKEN_LIFETIME_SECONDS } from './signing-keys/signing-key-schedule.ts';
import type { Account } from './store/accounts.ts';
import type { ApiKey } from './store/api-keys.ts';

interface MailedLinkRequest {
  readonly accountId: string;
  readonly purpose: string;
  readonly email: string;
}

interface AuthRpcOptions {
  readonly once: IdempotencyOptions;
  readonly identities: Identities;
  readonly externalIdentities: ExternalIdentities;
  readonly keyring: Keyring;
  readonly apiKeys: ApiKeys;
  readonly accountLimits: AccountLimitsProjection;
  readonly isBeingDeleted: (accountId: string) => Promise<boolean>;
  /** Whether the account must verify its address before it may create jobs. */
  readonly mustVerifyEmail: (accountId: string) => Promise<boolean>;
  readonly passwords: Passwords;
  readonly emailChanges: EmailChanges;
  readonly secondFactors: SecondFactors;
  readonly sessions: Sessions;
  readonly createSignInLink: (accountId: string) => Promise<Link>;
  readonly createMailedLink: (about: MailedLinkRequest) => Promise<Link>;
  readonly handleEvent: (event: Event) => Promise<void>;
}

const MAX_PAGE_SIZE = 100;
const MANAGE_KEYS: Scope = 'keys:manage';

export function createAuthRoutes(options: AuthRpcOptions): Routes {
  const { once, identities, externalIdentities, keyring, apiKeys, accountLimits, isBeingDeleted } = options;
  const { mustVerifyEmail, sessions } = options;
  const standingOf = async (accountId: string, readLimits = accountLimits.limitsOf) => {
    const [limits, pendingDeletion, mustVerify] = await Promise.all([
      readLimits(accountId),
      isBeingDeleted(accountId),
      mustVerifyEmail(accountId),
    ]);
    return { limits: toProtoLimits(limits), pendingDeletion, mustVerifyEmail: mustVerify };
  };
  const implementation: ServiceImpl<typeof AuthService> = {
    async register(request) {
      return { session: toProtoSession(await identities.register({ ...request, name: request.name ?? '' })) };
    },
    async login(request) {
      return { session: toProtoSession(await identities.login(request)) };
    },
    async loginByLink({ token, ...caller }) {
      return { session: toProtoSession(await identities.loginByLink(token, caller)) };
    },
    async refreshSession({ refreshToken, clientIp, userAgent }) {
      return { session: toProtoSession(await identities.refresh(refreshToken, { clientIp, userAgent })) };
    },
    async logout({ refreshToken }) {
      await identities.logout(refreshToken);
      return {};
    },
    ...createHolderMethods(options),
    async getJwks() {
      return { jwksJson: JSON.stringify({ keys: await keyring.publicKeys() }) };
    },
    async getIdentity({ accountId }) {
      const account = (await externalIdentities.find(accountId)) ?? (await identities.find(accountId));
      return { account: toProtoAccount(account) };
    },
    async admitSubject({ issuer, subject, email, name, knownOnly, issuedAt }) {
      const claims = {
        issuer,
        subject,
        ...(email === undefined ? {} : { email }),
        ...(name === undefined ? {} : { name }),
        ...(issuedAt === undefined ? {} : { issuedAt: timestampDate(issuedAt) }),
      };
      const accountId = await externalIdentities.admit(claims, { knownOnly });
      return { accountId, ...(await standingOf(accountId)) };
    },
    async closeAccount({ event }) {
      if (event?.payload.case !== 'accountDeletionRequested') {
        throw new InvalidParamsError('event', 'give an accountDeletionRequested event.');
      }
      if (event.occurredAt === undefined) throw new InvalidParamsError('event', 'say when it occurred.');
      await options.handleEvent(event);
      return {};
    },

    async createSignInLink({ accountId }) {
      return toProtoLink(await options.createSignInLink(accountId));
    },
    async createMailedLink(request) {
      return toProtoLink(await options.createMailedLink(request));
    },

    async createApiKey({ name, scopes, expiresAt }, context) {
      const fields = { name, scopes, expiresAt: expiresAt ? timestampDate(expiresAt) : null };
      const { key, secret } = await apiKeys.create(requireKeyManager(context), fields);
      return { apiKey: toProtoApiKey(key), secret };
    },
    async updateApiKey(request, context) {
      const manager = requireKeyManager(context);
      const key = await apiKeys.update(manager, request.keyId, fromProtoChanges(request));
      return { apiKey: toProtoApiKey(key) };
    },
    async getApiKey({ keyId }, context) {
      return { apiKey: toProtoApiKey(await apiKeys.get(requireKeyManager(context), keyId)) };
    },
    async listApiKeys({ page, limit }, context) {
      const manager = requireKeyManager(context);
      if (page < 1) throw new InvalidParamsError('page', 'pages count from 1.');
      if (limit < 1 || limit > MAX_PAGE_SIZE)
        throw new InvalidParamsError('limit', `give 1 to ${MAX_PAGE_SIZE}.`);
      const { keys, total } = await apiKeys.list(manager, page, limit);
      return { apiKeys: keys.map(toProtoApiKey), total: BigInt(total) };
    },
    async revokeApiKey({ keyId }, context) {
      await apiKeys.revoke(requireKeyManager(context), keyId);
      return {};
    },
    async rotateApiKey({ keyId, graceSeconds }, context) {
      const { key, secret } = await apiKeys.rotate(requireKeyManager(context), keyId, graceSeconds);
      return { apiKey: toProtoApiKey(key), secret };
    },

    async verifyApiKey({ secretSha256 }) {
      const { keyId, accountId, scopes, usableUntil } = await apiKeys.verify(secretSha256);
      return {
        keyId,
        accountId,
        scopes: [...scopes],
        ...(usableUntil === null ? {} : { expiresAt: timestampFromDate(usableUntil) }),
        limits: toProtoLimits(await accountLimits.limitsOf(accountId)),
        mustVerifyEmail: await mustVerifyEmail(accountId),
      };
    },
    async getAccountLimits({ accountId, refresh, sessionId }) {
      if (sessionId !== undefined) await sessions.check(accountId, sessionId);
      return standingOf(accountId, refresh ? accountLimits.refresh : accountLimits.limitsOf);
    },
    async recordKeyUse({ uses }) {
      await apiKeys.recordUses(
        uses.flatMap(({ keyId, usedAt }) => (usedAt ? [{ keyId, usedAt: timestampDate(usedAt) }] : [])),
      );
      return {};
    },
  };
  return (router) => {
    router.service(AuthService, withIdempotency(AuthService, implementation, once));
    router.service(AuthOperatorService, createOperatorRpc(options));
  };
}

/** The gateway checks the scope too. This check covers every other caller. */
function requireKeyManager(context: HandlerContext): KeyManager {
  const { accountId, scopes } = requireAccount(context);
  if (!scopes.includes(MANAGE_KEYS)) {
    throw new ServiceError(
      Reason.INSUFFICIENT_SCOPE,
      `Managing keys needs the scope ${MANAGE_KEYS}; use a credential that has it.`,
      { acceptedScopes: [MANAGE_KEYS] },
    );
  }
  return { accountId, scopes };
}

function fromProtoChanges({ name, scopes, expiry }: UpdateApiKeyRequest): ApiKeyChanges {
  return {
    ...(name === undefined ? {} : { name }),
    ...(scopes === undefined ? {} : { scopes: scopes.scopes }),
    ...(expiry.case === 'expiresAt' ? { expiresAt: timestampDate(expiry.value) } : {}),
    ...(expiry.case === 'removeExpiry' && expiry.value ? { expiresAt: null } : {}),
  };
}

function toProtoLink({ token, expiresAt }: Link) {
  return { token, expiresAt: timestampFromDate(expiresAt) };
}

function toProtoAccount(account: Account): AccountMessage {
  const { id, email, name, createdAt } = account;
  return create(AccountSchema, { id, email, name, createdAt: timestampFromDate(createdAt) });
}

function toProtoSession({ account, accessToken, refreshToken }: SignedIn): SessionMessage {
  return create(SessionSchema, {
    account: toProtoAccount(account),
    accessToken,
    refreshToken,
    expiresInSeconds: ACCESS_TOKEN_LIFETIME_SECONDS,
  });
}

function toProtoApiKey(key: ApiKey): ApiKeyMessage {
  return create(ApiKeySchema, {
    id: key.id,
    name: key.name,
    keyPreview: key.preview,
    scopes: [...key.scopes],
    createdAt: timestampFromDate(key.createdAt),
    ...(key.lastUsedAt === null ? {} : { lastUsedAt: timestampFromDate(key.lastUsedAt) }),
    ...(key.expiresAt === null ? {} : { expiresAt: timestampFromDate(key.expiresAt) }),
    ...(key.updatedAt === null ? {} : { updatedAt: timestampFromDate(key.updatedAt) }),
  });
}
