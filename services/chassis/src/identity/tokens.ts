/**
 * Who calls an internal method: a process in its own name, or for an account.
 *
 * Every call carries a token (JWT, Ed25519: RFC 7519, RFC 8037) that its caller has signed for this method
 * and, if it acts for an account, for that account. Callers reuse a token for a quarter of its lifetime, and
 * services cache verified tokens, so most calls need neither a signature nor a verification.
 *
 * Node signs and verifies synchronously, in 50 and 160 µs. JWT libraries use other threads, which takes
 * longer and would make a simulation non-deterministic.
 *
 * Failure modes: a token is invalid for another method, after a minute, or at a service that does not know
 * its signer. A service whose clock is more than 45 s ahead of its caller's refuses its calls.
 */
import { sign as signEd25519, verify as verifyEd25519 } from 'node:crypto';
import type { Process } from '@audiosplit/proto/callers';
import type { DescMethod } from '@bufbuild/protobuf';
import type { Clock } from '../clock.ts';
import type { ActingAccount, Identity } from './identity.ts';
import { type IdentityKeys, type PublicKeys, readPrivateKey } from './keys.ts';

export type SignCall = (method: DescMethod, account?: ActingAccount) => string;
/**
 * Undefined for a token that is malformed, expired, for another method or not signed by the process it names.
 */
export type VerifyCall = (method: DescMethod, token: string) => Identity | undefined;

/**
 * The header of all tokens. A token with another header is refused before it is parsed, so no other algorithm
 * can be selected.
 */
const HEADER = encode({ alg: 'EdDSA' });
const LIFETIME_MS = 60_000;
/** Renewed early, so that a token is still valid on arrival when clocks differ. */
const RENEWED_AFTER_SHARE = 1 / 4;
const MAX_KEPT_TOKENS = 10_000;

interface Claims {
  readonly iss: Process;
  readonly aud: string;
  readonly exp: number;
  readonly acc?: ActingAccount | undefined;
}

interface VerifiedToken {
  readonly identity: Identity;
  readonly audience: string;
  readonly endsAtMs: number;
}

export function createSigner(
  { process, privateKey }: IdentityKeys,
  clock: Clock,
  lifetimeMs = LIFETIME_MS,
): SignCall {
  const signingKey = readPrivateKey(privateKey);
  const kept = new Map<string, { readonly token: string; readonly renewAtMs: number }>();
  return (method, account) => {
    const nowMs = clock().getTime();
    const aud = audienceOf(method);
    const key = account === undefined ? aud : `${aud} ${JSON.stringify(account)}`;
    const known = kept.get(key);
    if (known !== undefined && known.renewAtMs > nowMs) return known.token;
    if (kept.size >= MAX_KEPT_TOKENS) kept.clear();
    const exp = Math.floor((nowMs + lifetimeMs) / 1000);
    const signed = `${HEADER}.${encode({ iss: process, aud, exp, acc: account } satisfies Claims)}`;
    const signature = signEd25519(null, Buffer.from(signed), signingKey);
    const token = `${signed}.${signature.toString('base64url')}`;
    kept.set(key, { token, renewAtMs: nowMs + lifetimeMs * RENEWED_AFTER_SHARE });
    return token;
  };
}

export function createVerifier(publicKeys: PublicKeys, clock: Clock): VerifyCall {
  const verified = new Map<string, VerifiedToken>();
  return (method, token) => {
    let known = verified.get(token);
    if (known === undefined) {
      known = verifyToken(publicKeys, token);
      if (known === undefined) return undefined;
      if (verified.size >= MAX_KEPT_TOKENS) verified.clear();
      verified.set(token, known);
    }
    const isGood = known.audience === audienceOf(method) && known.endsAtMs > clock().getTime();
    return isGood ? known.identity : undefined;
  };
}

/** Ignores method and expiry. */
function verifyToken(publicKeys: PublicKeys, token: string): VerifiedToken | undefined {
  const [header, body = '', signature = '', ...more] = token.split('.');
  if (header !== HEADER || more.length > 0) return undefined;
  const claims = decode(body);
  if (claims === undefined) return undefined;
  const signed = Buffer.from(`${header}.${body}`);
  const bytes = Buffer.from(signature, 'base64url');
  // The claims are not trusted yet: they only select the keys for verification.
  const keys = publicKeys.get(claims.iss) ?? [];
  if (!keys.some((key) => verifyEd25519(null, signed, key, bytes))) return undefined;
  const { iss: process, acc: account, aud: audience, exp } = claims;
  return { identity: { process, account }, audience, endsAtMs: exp * 1000 };
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function decode(body: string): Claims | undefined {
  try {
    return JSON.parse(Buffer.from(body, 'base64url').toString()) ?? undefined;
  } catch {
    return undefined;
  }
}

function audienceOf(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}
