/** The idempotency key of the running request, passed from the gateway to the service. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface IdempotencyKey {
  /** Identifies the caller: the same key of two callers is two keys. */
  readonly scope: string;
  readonly key: string;
  /** Equal only for equal requests. */
  readonly fingerprint: string;
}

/** On the caller's side. Afterwards `replayed` says whether the last call returned a stored response. */
export interface OutgoingIdempotencyKey extends IdempotencyKey {
  replayed: boolean;
}

export const REPLAYED_HEADER = 'idempotency-replayed';

const HEADERS = {
  scope: 'x-audiosplit-idempotency-scope',
  key: 'x-audiosplit-idempotency-key',
  fingerprint: 'x-audiosplit-idempotency-fingerprint',
} as const satisfies Record<keyof IdempotencyKey, string>;

/** The scope of one of an account's credentials. */
export function accountScope(accountId: string, credential: string): string {
  return `${accountScopePrefix(accountId)}${credential}`;
}

/** The prefix of all scopes of an account. */
export function accountScopePrefix(accountId: string): string {
  return `account:${accountId}:`;
}

const outgoing = new AsyncLocalStorage<OutgoingIdempotencyKey | undefined>();

/** Calls to services made by `work` carry the key. */
export function runWithIdempotencyKey<T>(key: OutgoingIdempotencyKey, work: () => T): T {
  return outgoing.run(key, work);
}

/**
 * Without the running request's key. A key belongs to one request and one service: the service's own calls to
 * others do not carry it.
 */
export function runWithoutIdempotencyKey<T>(work: () => T): T {
  return outgoing.run(undefined, work);
}

export function outgoingIdempotencyKey(): OutgoingIdempotencyKey | undefined {
  return outgoing.getStore();
}

export function writeIdempotencyKey(headers: Headers, { scope, key, fingerprint }: IdempotencyKey): void {
  headers.set(HEADERS.scope, encodeURIComponent(scope));
  headers.set(HEADERS.key, encodeURIComponent(key));
  headers.set(HEADERS.fingerprint, fingerprint);
}

export function readIdempotencyKey(headers: Headers): IdempotencyKey | undefined {
  const scope = headers.get(HEADERS.scope);
  const key = headers.get(HEADERS.key);
  const fingerprint = headers.get(HEADERS.fingerprint);
  if (scope === null || key === null || fingerprint === null) return undefined;
  return { scope: decodeURIComponent(scope), key: decodeURIComponent(key), fingerprint };
}
