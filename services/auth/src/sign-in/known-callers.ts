/**
 * Callers that an account knows: networks and devices from which it has signed in within 90 days, and holders of a live
 * refresh token. Guesses of others do not keep them out.
 */
import { createHash } from 'node:crypto';
import type { Queryable } from '@audiosplit/chassis/postgres/pool';
import { isKnownCaller, saveKnownCallers } from '../store/known-callers.ts';
import { networkOf } from './client-network.ts';
import { sha256OfRefreshToken } from './refresh-token.ts';

export interface Caller {
  /** Empty: unknown. */
  readonly clientIp: string;
  /** Random, kept by the browser. Empty: none. */
  readonly deviceToken: string;
}

export const CALLER_KNOWN_MS = 90 * 86_400_000;

/** Costs the same for an account that does not exist. */
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

/** After a sign-in or a renewal of the account. */
export async function remember(db: Queryable, accountId: string, caller: Caller, now: Date): Promise<void> {
  const digests = digestsOf(accountId, caller);
  if (digests.length > 0) await saveKnownCallers(db, accountId, digests, now);
}

/** With the account, so that the digests of two accounts do not show that their callers are the same. */
function digestsOf(accountId: string, { clientIp, deviceToken }: Caller): Buffer[] {
  const digest = (...parts: string[]) => createHash('sha256').update(JSON.stringify(parts)).digest();
  return [
    ...(clientIp === '' ? [] : [digest(accountId, 'network', networkOf(clientIp))]),
    ...(deviceToken === '' ? [] : [digest(accountId, 'device', deviceToken)]),
  ];
}
