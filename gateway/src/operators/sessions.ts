/**
 * Operator sessions: `<payload>.<signature>` in an HttpOnly, SameSite=Strict cookie (RFC 6265). Nothing is stored, so a
 * session holds on every replica and across restarts. The signing key is derived from the operator's own secret, so
 * changing or removing the secret ends the session.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@audiosplit/chassis/clock';
import { hmacSha256, isSameSignature } from '@audiosplit/chassis/secrets/hmac';
import { readCookie, setCookie } from '../console/cookies.ts';

/** A day's work. */
const LIFETIME_SECONDS = 8 * 3_600;

export interface OperatorSession {
  readonly operator: string;
  readonly expiresAt: Date;
}

export interface OperatorSessions {
  /** Whether the secret is this operator's. Takes equally long for an unknown name. */
  isSecretOf(operator: string, secret: string): boolean;
  /** A Set-Cookie header that signs the operator in. */
  begin(operator: string, isHttps: boolean): string;
  /** A Set-Cookie header that signs a browser out. */
  end(isHttps: boolean): string;
  /** Undefined for a cookie that is missing, malformed, expired or forged. */
  read(cookieHeader: string | undefined, isHttps: boolean): OperatorSession | undefined;
}

/**
 * A cookie whose name begins with `__Host-` cannot be set by another host or path, or by a page without TLS.
 */
export function operatorCookie(isHttps: boolean): string {
  return isHttps ? '__Host-audiosplit_operator' : 'audiosplit_operator';
}

/** `secrets` by operator. */
export function createOperatorSessions(secrets: ReadonlyMap<string, string>, clock: Clock): OperatorSessions {
  const keys = new Map(
    [...secrets].map(([operator, secret]) => [operator, hmacSha256(secret, 'operator session')] as const),
  );
  return {
    isSecretOf(operator, secret) {
      const expected = secrets.get(operator);
      const isSame = timingSafeEqual(sha256(expected ?? ''), sha256(secret));
      return isSame && expected !== undefined;
    },

    begin(operator, isHttps) {
      const key = keys.get(operator);
      if (key === undefined) throw new Error('unknown operator');
      const ends = Math.floor(clock().getTime() / 1_000) + LIFETIME_SECONDS;
      const payload = Buffer.from(JSON.stringify([operator, ends])).toString('base64url');
      const signature = hmacSha256(key, payload).toString('base64url');
      return sessionCookie(`${payload}.${signature}`, LIFETIME_SECONDS, isHttps);
    },

    end: (isHttps) => sessionCookie('', 0, isHttps),

    read(cookieHeader, isHttps) {
      const cookie = readCookie(cookieHeader, operatorCookie(isHttps)) ?? '';
      const [payload = '', signature = ''] = cookie.split('.');
      const [operator, ends] = decoded(payload);
      const key = keys.get(operator);
      const given = Buffer.from(signature, 'base64url');
      const expected = hmacSha256(key ?? '', payload);
      if (key === undefined || !isSameSignature(given, expected)) return undefined;
      const expiresAt = new Date(ends * 1_000);
      return expiresAt > clock() ? { operator, expiresAt } : undefined;
    },
  };
}

/** Decoded before verification, to find the key. */
function decoded(payload: string): readonly [operator: string, ends: number] {
  try {
    const [operator, ends] = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return [String(operator), Number(ends)];
  } catch {
    return ['', 0];
  }
}

function sessionCookie(value: string, maxAgeSeconds: number, isSecure: boolean): string {
  return setCookie(operatorCookie(isSecure), value, { path: '/', maxAgeSeconds, isSecure });
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
