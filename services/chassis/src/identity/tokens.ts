/**
 * Who calls an internal method: a process in its own name, or for an account.
 *
 * Every call carries a token (JWT, Ed25519: RFC 7519, RFC 8037) that its caller has signed for this one method and, where
 * it acts for an account, for that account. Callers keep a token for a quarter of its lifetime, and services remember which
 * ones they have verified, so that most calls cost neither a signature nor its verification.
 *
 * Failure modes: a token is of no use for another method, after a minute, or to a service that does not know its signer.
 * A service whose clock is more than 45 s ahead of its caller's refuses its calls.
 */
import type { Process } from '@audiosplit/proto/callers';
import type { DescMethod } from '@bufbuild/protobuf';
import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import type { Clock } from '../clock.ts';
import type { ActingAccount, Identity } from './identity.ts';
import { type IdentityKeys, type PublicKeys, readPrivateKey } from './keys.ts';

export type SignCall = (method: DescMethod, account?: ActingAccount) => Promise<string>;
/** Undefined for a token that is malformed, expired, of another method or not signed by the process that it names. */
export type VerifyCall = (method: DescMethod, token: string) => Promise<Identity | undefined>;

const ALGORITHM = 'EdDSA';
const LIFETIME_MS = 60_000;
/** Early, so that a token arrives in time also where clocks differ. */
const RENEWED_AFTER_SHARE = 1 / 4;
const MAX_KEPT_TOKENS = 10_000;

interface Claims {
  readonly acc?: ActingAccount;
}

export function createSigner(
  { process, privateKey }: IdentityKeys,
  clock: Clock,
  lifetimeMs = LIFETIME_MS,
): SignCall {
  const signingKey = readPrivateKey(privateKey);
  const kept = new Map<string, { readonly token: Promise<string>; readonly renewAtMs: number }>();
  return (method, account) => {
    const nowMs = clock().getTime();
    const key =
      account === undefined ? audienceOf(method) : `${audienceOf(method)} ${JSON.stringify(account)}`;
    const known = kept.get(key);
    if (known !== undefined && known.renewAtMs > nowMs) return known.token;
    if (kept.size >= MAX_KEPT_TOKENS) kept.clear();
    const token = new SignJWT(account === undefined ? {} : { acc: account })
      .setProtectedHeader({ alg: ALGORITHM })
      .setIssuer(process)
      .setAudience(audienceOf(method))
      .setExpirationTime(Math.floor((nowMs + lifetimeMs) / 1000))
      .sign(signingKey);
    kept.set(key, { token, renewAtMs: nowMs + lifetimeMs * RENEWED_AFTER_SHARE });
    return token;
  };
}

export function createVerifier(publicKeys: PublicKeys, clock: Clock): VerifyCall {
  let verified = new Map<
    string,
    { readonly identity: Identity; readonly audience: string; readonly endsAtMs: number }
  >();
  return async (method, token) => {
    const audience = audienceOf(method);
    const now = clock();
    const known = verified.get(token);
    if (known !== undefined)
      return known.audience === audience && known.endsAtMs > now.getTime() ? known.identity : undefined;
    const process = issuerOf(token, publicKeys);
    if (process === undefined) return undefined;
    for (const key of publicKeys.get(process) ?? []) {
      try {
        const { payload } = await jwtVerify<Claims>(token, key, {
          algorithms: [ALGORITHM],
          audience,
          currentDate: now,
          requiredClaims: ['exp'],
        });
        const identity: Identity = { process, account: payload.acc };
        if (verified.size >= MAX_KEPT_TOKENS) verified = new Map();
        verified.set(token, { identity, audience, endsAtMs: (payload.exp ?? 0) * 1000 });
        return identity;
      } catch {
        // Signed with the process's other key, or with an unknown one.
      }
    }
    return undefined;
  };
}

/** Not yet verified: it only says with whose keys to do that. */
function issuerOf(token: string, publicKeys: PublicKeys): Process | undefined {
  try {
    const { iss } = decodeJwt(token);
    return [...publicKeys.keys()].find((process) => process === iss);
  } catch {
    return undefined;
  }
}

function audienceOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}
