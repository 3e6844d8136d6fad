/**
 * Who an operator is, and for how long: `<payload>.<signature>` in a cookie (RFC 6265) that no script reads and no other
 * site's request brings along. Nothing is kept on this side, so that a session holds on every replica and over a restart. It is
 * signed with a key made of its operator's own secret: whose secret is changed, or taken away, is signed out.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@audiosplit/chassis/clock';
import { hmacSha256, isSameSignature } from '@audiosplit/chassis/secrets/hmac';
import { readCookie } from '../console/cookies.ts';

export const OPERATOR_COOKIE = 'audiosplit_operator';
/** A day's work. */
const LIFETIME_SECONDS = 8 * 3_600;

export interface OperatorSession {
  readonly operator: string;
  readonly expiresAt: Date;
}

export interface OperatorSessions {
  /** Whether the secret is this operator's. Takes as long for a name that nobody has. */
  isSecretOf(operator: string, secret: string): boolean;
  /** A Set-Cookie header that signs the operator in. */
  begin(operator: string): string;
  /** A Set-Cookie header that signs a browser out. */
  readonly end: string;
  /** Undefined for a cookie that is missing, malformed, over, or not of our making. */
  read(cookieHeader: string | undefined): OperatorSession | undefined;
}

/** `secrets` by the operator's name. */
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

    begin(operator) {
      const key = keys.get(operator);
      if (key === undefined) throw new Error('nobody has this name');
      const ends = Math.floor(clock().getTime() / 1_000) + LIFETIME_SECONDS;
      const payload = Buffer.from(JSON.stringify([operator, ends])).toString('base64url');
      return setCookie(`${payload}.${hmacSha256(key, payload).toString('base64url')}`, LIFETIME_SECONDS);
    },

    end: setCookie('', 0),

    read(cookieHeader) {
      const [payload = '', signature = ''] = (readCookie(cookieHeader, OPERATOR_COOKIE) ?? '').split('.');
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

/** Before its signature is checked: whose key it should have been signed with. */
function decoded(payload: string): readonly [operator: string, ends: number] {
  try {
    const [operator, ends] = JSON.parse(Buffer.from(payload, 'base64url').toString());
    return [String(operator), Number(ends)];
  } catch {
    return ['', 0];
  }
}

function setCookie(value: string, maxAgeSeconds: number): string {
  return `${OPERATOR_COOKIE}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Strict`;
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
