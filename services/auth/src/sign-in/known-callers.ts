/**
 * Callers that an account knows: networks and devices from which it has signed in within 90 days, and holders
 * of a live refresh token. Password guesses by others do not lock them out.
 */

import { createHash } from 'node:crypto';
import { networkOf } from '@audiosplit/chassis/net/client-network';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { isKnownCaller, saveKnownCallers } from '../store/known-callers.ts';
import { sha256OfRefreshToken } from './refresh-token.ts';

export interface Caller {
  /** Empty: unknown. */
  readonly clientIp: string;
  /** Random, stored by the browser. Empty: none. */
  readonly deviceToken: string;
}

export const CALLER_KNOWN_MS = 90 * 86_400_000;

/** Takes the same time for an account that does not exist. */
export function isKnown(
  db: Queryable,
  accountId: string | undefined,
  caller: Caller & { readonly refreshToken: string },
  now: Date,
): Promise<boolean> {
  const id = accountId ?? '';
  return isKnownCaller(db, {
    accountId: id,
    callers: digestsOf(id, caller),
    seenAfter: new Date(now.getTime() - CALLER_KNOWN_MS),
    tokenSha256: sha256OfRefreshToken(caller.refreshToken),
    now,
  });
}

/** Called after a sign-in or a refresh. */
export async function remember(db: Queryable, accountId: string, caller: Caller, now: Date): Promise<void> {
  const digests = digestsOf(accountId, caller);
  if (digests.length > 0) await saveKnownCallers(db, accountId, digests, now);
}

/**
 * The digest includes the account, so the digests of two accounts do not show that they have the same caller.
 */
function digestsOf(accountId: string, { clientIp, deviceToken }: Caller): Buffer[] {
  const digest = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest();
  return [
    ...(clientIp === '' ? [] : [digest(accountId, 'network', networkOf(clientIp))]),
    ...(deviceToken === '' ? [] : [digest(accountId, 'device', deviceToken)]),
  ];
}
