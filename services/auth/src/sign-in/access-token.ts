import { randomUUID } from 'node:crypto';
import type { Clock } from '@audiosplit/chassis/clock';
import { SignJWT } from 'jose';
import type { Keyring } from '../signing-keys/keyring.ts';
import { ACCESS_TOKEN_LIFETIME_SECONDS } from '../signing-keys/signing-key-schedule.ts';

interface AccessTokenOptions {
  readonly keyring: Keyring;
  readonly issuer: string;
  readonly audience: string;
  readonly clock: Clock;
}

/** Signs a JWT (EdDSA) for a session of an account, valid for an hour and no longer than the session. */
export type IssueAccessToken = (accountId: string, sessionId: string) => Promise<string>;

export function createAccessTokenIssuer({
  keyring,
  issuer,
  audience,
  clock,
}: AccessTokenOptions): IssueAccessToken {
  return async (accountId, sessionId) => {
    const { kid, privateKey } = await keyring.signingKey();
    const issuedAtSeconds = Math.floor(clock().getTime() / 1000);
    return new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'JWT' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(accountId)
      .setJti(randomUUID())
      .setIssuedAt(issuedAtSeconds)
      .setExpirationTime(issuedAtSeconds + ACCESS_TOKEN_LIFETIME_SECONDS)
      .sign(privateKey);
  };
}
