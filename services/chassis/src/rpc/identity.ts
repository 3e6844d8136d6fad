/**
 * Who calls an internal method: an account through the gateway, or a service on its own behalf.
 *
 * Every call carries a short-lived token (JWS, HMAC-SHA-256) made by the calling process with the
 * installation's internal secret; the called service verifies it and scopes every query by its account.
 * The token says nothing about the outside credential: the gateway has checked that before.
 */
import { Reason } from '@audiosplit/proto/errors/v1/errors';
import { createContextKey, type HandlerContext } from '@connectrpc/connect';
import { ServiceError } from '../errors.ts';
import { isSignatureOf, signText } from '../secrets/secret-values.ts';

export type Identity =
  | { readonly kind: 'account'; readonly accountId: string; readonly scopes: readonly string[] }
  | { readonly kind: 'service'; readonly service: string };

export const IDENTITY_HEADER = 'x-audiosplit-identity';
export const identityKey = createContextKey<Identity | undefined>(undefined, { description: 'identity' });

/** Long enough for clock drift between machines, short enough that a leaked token is soon worthless. */
const TOKEN_LIFETIME_SECONDS = 120;
/** A token of one identity is made anew when it has less than this left. */
const RENEW_BELOW_SECONDS = 60;
const MAX_CACHED_TOKENS = 10_000;

interface TokenPayload {
  readonly id: Identity;
  readonly exp: number;
}

// {"alg":"HS256"}: the one algorithm; a token with any other header is refused.
const HEADER = Buffer.from('{"alg":"HS256"}').toString('base64url');

export function signIdentity(secret: string, identity: Identity, now: Date): string {
  const payload: TokenPayload = {
    id: identity,
    exp: Math.floor(now.getTime() / 1000) + TOKEN_LIFETIME_SECONDS,
  };
  const signed = `${HEADER}.${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
  return `${signed}.${signText(signed, secret).toString('base64url')}`;
}

/**
 * As verifyIdentity does, for the calls of one process: callers repeat a token for about a minute, and its signature is
 * checked once. Bounded.
 */
export function createIdentityVerifier(
  secret: string,
  now: () => Date,
): (token: string | null) => Identity | undefined {
  let verified = new Map<string, TokenPayload>();
  return (token) => {
    if (token === null) return undefined;
    const nowMs = now().getTime();
    const known = verified.get(token);
    if (known !== undefined) return known.exp * 1000 > nowMs ? known.id : undefined;
    const payload = readToken(secret, token);
    if (payload === undefined || payload.exp * 1000 <= nowMs) return undefined;
    if (verified.size >= MAX_CACHED_TOKENS) verified = new Map();
    verified.set(token, payload);
    return payload.id;
  };
}

/** Undefined for a token that is missing, malformed, expired or signed with another secret. */
export function verifyIdentity(secret: string, token: string | null, now: Date): Identity | undefined {
  const payload = token === null ? undefined : readToken(secret, token);
  return payload !== undefined && payload.exp * 1000 > now.getTime() ? payload.id : undefined;
}

function readToken(secret: string, token: string): TokenPayload | undefined {
  const [header, body, signature] = token.split('.');
  if (header !== HEADER || body === undefined || signature === undefined) return undefined;
  if (!isSignatureOf(`${header}.${body}`, Buffer.from(signature, 'base64url'), secret)) return undefined;
  return JSON.parse(Buffer.from(body, 'base64url').toString()) as TokenPayload;
}

/** Tokens by identity, made once and reused while they have enough time left. Bounded. */
export function createIdentitySigner(secret: string, now: () => Date): (identity: Identity) => string {
  const cache = new Map<string, { readonly token: string; readonly renewAtMs: number }>();
  return (identity) => {
    const nowMs = now().getTime();
    const cacheKey = JSON.stringify(identity);
    const cached = cache.get(cacheKey);
    if (cached !== undefined && cached.renewAtMs > nowMs) return cached.token;
    if (cache.size >= MAX_CACHED_TOKENS) cache.clear();
    const token = signIdentity(secret, identity, new Date(nowMs));
    cache.set(cacheKey, { token, renewAtMs: nowMs + (TOKEN_LIFETIME_SECONDS - RENEW_BELOW_SECONDS) * 1000 });
    return token;
  };
}

/** The account on whose behalf a method is called; service callers are refused. */
export function requireAccount(context: HandlerContext): string {
  const identity = context.values.get(identityKey);
  if (identity?.kind === 'account') return identity.accountId;
  throw new ServiceError(Reason.UNAUTHORIZED, 'This method is called on behalf of an account.');
}

/** Refuses account callers, and services other than those named. */
export function requireService(context: HandlerContext, ...allowed: readonly string[]): string {
  const identity = context.values.get(identityKey);
  if (identity?.kind === 'service' && allowed.includes(identity.service)) return identity.service;
  throw new ServiceError(Reason.UNAUTHORIZED, `This method is for ${allowed.join(', ')}.`);
}
