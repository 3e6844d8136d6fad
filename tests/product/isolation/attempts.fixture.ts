/** What is tried on an operation without being entitled to it, and what it is to be answered. */
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

/** All that must not open an operation. */
export function attemptsOn(target: Operation, credentials: Credentials): Attempt[] {
  return [withoutCredential, withTokens, withKeys, withBoth].flatMap((kind) => kind(target, credentials));
}

function withoutCredential({ takesToken, scope }: Operation, credentials: Credentials): Attempt[] {
  const { goodToken, goodKey } = credentials;
  const refusal = 'UNAUTHORIZED';
  return [
    { by: 'nobody', headers: {}, refusal },
    { by: 'an empty Authorization', headers: { authorization: '' }, refusal },
    { by: 'another scheme', headers: { authorization: `Basic ${goodToken}` }, refusal },
    { by: 'a token without its scheme', headers: { authorization: goodToken }, refusal },
    { by: 'an empty key', headers: withKey(''), refusal },
    { by: 'a key as a token', headers: bearer(goodKey), refusal },
    { by: 'a token as a key', headers: withKey(goodToken), refusal },
    ...(takesToken
      ? []
      : [{ by: 'a token where a key is needed', headers: bearer(goodToken), refusal } as const]),
    ...(scope === undefined
      ? [{ by: 'a key where a token is needed', headers: withKey(goodKey), refusal } as const]
      : []),
  ];
}

function withTokens({ id, takesToken }: Operation, credentials: Credentials): Attempt[] {
  if (!takesToken) return [];
  const { badTokens, strangersToken, leaversToken } = credentials;
  const { toOthers } = GUARDED[id] ?? {};
  const stranger = { by: "a stranger's token", headers: bearer(strangersToken) };
  const leaver = { by: 'an account pending deletion', headers: bearer(leaversToken) };
  return [
    ...Array.from(badTokens, ([what, token]): Attempt => {
      return { by: `a token ${what}`, headers: bearer(token), refusal: 'UNAUTHORIZED' };
    }),
    ...(toOthers === undefined ? [] : [{ ...stranger, refusal: toOthers }]),
    ...(OPEN_WHILE_PENDING.has(id) ? [] : [{ ...leaver, refusal: 'ACCOUNT_PENDING_DELETION' } as const]),
  ];
}

function withKeys({ id, scope }: Operation, credentials: Credentials): Attempt[] {
  if (scope === undefined) return [];
  const { badKeys, keyWithout, strangersKey } = credentials;
  const { toOthers } = GUARDED[id] ?? {};
  const stranger = { by: "a stranger's key", headers: withKey(strangersKey) };
  return [
    ...Array.from(badKeys, ([what, key]): Attempt => {
      return { by: `a key ${what}`, headers: withKey(key), refusal: 'UNAUTHORIZED' };
    }),
    {
      by: `a key without ${scope}`,
      headers: withKey(keyWithout.get(scope) ?? ''),
      refusal: 'INSUFFICIENT_SCOPE',
    },
    ...(toOthers === undefined ? [] : [{ ...stranger, refusal: toOthers }]),
  ];
}

/** The one that counts is bad: a good one beside it does not help. Where both are taken the token counts. */
function withBoth({ takesToken, scope }: Operation, credentials: Credentials): Attempt[] {
  const { goodToken, goodKey, strangersKey, badTokens, badKeys } = credentials;
  const badToken = badTokens.get('expired') ?? '';
  const badKey = badKeys.get('revoked') ?? '';
  return [
    { by: 'both, bad', headers: { ...bearer(badToken), ...withKey(badKey) }, refusal: 'UNAUTHORIZED' },
    takesToken
      ? {
          by: 'a bad token and a good key',
          headers: { ...bearer(badToken), ...withKey(goodKey) },
          refusal: 'UNAUTHORIZED',
        }
      : {
          by: 'a good token and a bad key',
          headers: { ...bearer(goodToken), ...withKey(badKey) },
          refusal: 'UNAUTHORIZED',
        },
    ...(takesToken && scope !== undefined
      ? [
          {
            by: "a bad token and a stranger's key",
            headers: { ...bearer(badToken), ...withKey(strangersKey) },
            refusal: 'UNAUTHORIZED',
          } as const,
        ]
      : []),
  ];
}
