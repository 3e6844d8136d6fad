/** The unauthorized attempts on an operation, and the expected response to each. */
import type { ErrorCode } from '@audiosplit/gateway/http/errors/error-codes';
import type { Credentials } from './credentials.fixture.ts';
import { GUARDED, OPEN_WHILE_PENDING } from './endpoints.fixture.ts';
import { bearer, withKey } from './installation.fixture.ts';
import type { Operation } from './operations.fixture.ts';

interface Attempt {
  readonly by: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly refusal: ErrorCode;
}

/** All credentials that must not open an operation. */
export function attemptsOn(target: Operation, credentials: Credentials): Attempt[] {
  return [withoutCredential, withTokens, withKeys, withBoth].flatMap((kind) => kind(target, credentials));
}

const unauthorized = (by: string, headers: Attempt['headers']): Attempt => ({
  by,
  headers,
  refusal: 'UNAUTHORIZED',
});

function withoutCredential({ takesToken, scope }: Operation, credentials: Credentials): Attempt[] {
  const { goodToken, goodKey } = credentials;
  return [
    unauthorized('no credential', {}),
    unauthorized('an empty Authorization', { authorization: '' }),
    unauthorized('another scheme', { authorization: `Basic ${goodToken}` }),
    unauthorized('a token without its scheme', { authorization: goodToken }),
    unauthorized('an empty key', withKey('')),
    unauthorized('a key as a token', bearer(goodKey)),
    unauthorized('a token as a key', withKey(goodToken)),
    ...(takesToken ? [] : [unauthorized('a token where a key is needed', bearer(goodToken))]),
    ...(scope === undefined ? [unauthorized('a key where a token is needed', withKey(goodKey))] : []),
  ];
}

function withTokens({ id, takesToken }: Operation, credentials: Credentials): Attempt[] {
  if (!takesToken) return [];
  const { badTokens, strangersToken, leaversToken } = credentials;
  const { toOthers } = GUARDED[id] ?? {};
  const stranger = { by: "a stranger's token", headers: bearer(strangersToken) };
  const leaver = { by: 'an account pending deletion', headers: bearer(leaversToken) };
  return [
    ...Array.from(badTokens, ([what, token]) => unauthorized(`a token ${what}`, bearer(token))),
    ...(toOthers === undefined ? [] : [{ ...stranger, refusal: toOthers }]),
    ...(OPEN_WHILE_PENDING.has(id) ? [] : [{ ...leaver, refusal: 'ACCOUNT_PENDING_DELETION' } as const]),
  ];
}

function withKeys({ id, scope }: Operation, credentials: Credentials): Attempt[] {
  if (scope === undefined) return [];
  const { badKeys, keyWithout, strangersKey } = credentials;
  const { toOthers } = GUARDED[id] ?? {};
  const stranger = { by: "a stranger's key", headers: withKey(strangersKey) };
  const without = { by: `a key without ${scope}`, headers: withKey(keyWithout.get(scope) ?? '') };
  return [
    ...Array.from(badKeys, ([what, key]) => unauthorized(`a key ${what}`, withKey(key))),
    { ...without, refusal: 'INSUFFICIENT_SCOPE' },
    ...(toOthers === undefined ? [] : [{ ...stranger, refusal: toOthers }]),
  ];
}

/**
 * The credential that counts is bad: a good one in addition does not help. If both are accepted, the token
 * counts.
 */
function withBoth({ takesToken, scope }: Operation, credentials: Credentials): Attempt[] {
  const { goodToken, goodKey, strangersKey, badTokens, badKeys } = credentials;
  const badToken = badTokens.get('expired') ?? '';
  const badKey = badKeys.get('revoked') ?? '';
  return [
    unauthorized('both, bad', { ...bearer(badToken), ...withKey(badKey) }),
    takesToken
      ? unauthorized('a bad token and a good key', { ...bearer(badToken), ...withKey(goodKey) })
      : unauthorized('a good token and a bad key', { ...bearer(goodToken), ...withKey(badKey) }),
    ...(takesToken && scope !== undefined
      ? [unauthorized("a bad token and a stranger's key", { ...bearer(badToken), ...withKey(strangersKey) })]
      : []),
  ];
}
