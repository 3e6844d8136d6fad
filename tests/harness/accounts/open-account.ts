/** Accounts opened as callers do it: through the public API, with a session, an API key and a client. */
import { randomBytes } from 'node:crypto';
import {
  type Audiosplit,
  type AudiosplitOptions,
  type Body,
  type CreatedApiKey,
  createAudiosplit,
  type Session,
} from '@audiosplit/client';
import { type RawInit, raw, send, type Target, type TimedAnswer } from './raw.ts';

export interface Account {
  readonly id: string;
  readonly credentials: { readonly email: string; readonly password: string };
  /** From the registration. */
  readonly session: Session;
  readonly apiKey: string;
  readonly createdKey: CreatedApiKey;
  /** Sends the API key, or the session where a key is not allowed. */
  readonly client: Audiosplit;
  accessToken(): string;
  /** Replaces the session of the client. */
  signIn(accessToken: string): void;
  /** Sends the API key, unless `init` names a credential. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read the fields they know
  raw<T = any>(target: Target, init?: RawInit): Promise<TimedAnswer<T>>;
  /** Like `raw`, for streams. */
  send(target: Target, init?: RawInit): Promise<Response>;
}

export interface AccountOptions extends Pick<AudiosplitOptions, 'retries' | 'timeoutMs' | 'fetch'> {
  readonly email?: string;
  readonly password?: string;
  readonly name?: string;
  /** By default all scopes, except those that must be requested by name. */
  readonly scopes?: NonNullable<Body<'createApiKey'>['scopes']>;
  /** Subscribed with a card that is accepted; Free by default. */
  readonly plan?: Body<'subscribe'>['planId'];
}

export const PASSWORD = 'correct horse battery staple';

export const newEmail = () => `ada-${randomBytes(6).toString('hex')}@example.com`;

/** By default without retries: tests need the first response. */
export async function openAccount(baseUrl: string, options: AccountOptions = {}): Promise<Account> {
  const { email = newEmail(), password = PASSWORD, name, scopes, plan } = options;
  const { retries = { maxRetries: 0 }, timeoutMs, fetch } = options;
  const connection = {
    baseUrl,
    retries,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(fetch === undefined ? {} : { fetch }),
  };
  const registration = { email, password, ...(name === undefined ? {} : { name }) };
  const session = await createAudiosplit(connection).register(registration);
  let accessToken = session.accessToken;
  const holder = createAudiosplit({ ...connection, accessToken });
  if (plan !== undefined) {
    await holder.setPaymentMethod({ token: 'tok_visa' });
    await holder.subscribe({ planId: plan });
  }
  const createdKey = await holder.createApiKey({ name: 'test', ...(scopes === undefined ? {} : { scopes }) });
  const apiKey = createdKey.key;
  const withKey = (init: RawInit = {}): RawInit => ({
    ...(init.accessToken === undefined && init.apiKey === undefined ? { apiKey } : {}),
    ...(fetch === undefined ? {} : { fetch }),
    ...init,
  });
  return {
    id: session.account.id,
    credentials: { email, password },
    session,
    apiKey,
    createdKey,
    client: createAudiosplit({ ...connection, accessToken: () => accessToken, apiKey }),
    accessToken: () => accessToken,
    signIn(token) {
      accessToken = token;
    },
    raw: (target, init) => raw(baseUrl, target, withKey(init)),
    send: (target, init) => send(baseUrl, target, withKey(init)),
  };
}
